package io.penstock.server.reload;

import io.penstock.server.change.Change;
import io.penstock.server.change.Effect;
import io.penstock.server.config.PenstockProperties;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;

/** Keys whose values only a restart puts in force, and which of them have changed. */
final class RestartKeys {

  /** What Spring reads at the start. */
  private static final List<ConfigurationPropertyName> ROOTS =
      names("spring", "management", "server", "logging", "info", "debug", "trace");

  /** Of these, what a reload puts in force, or what says where the configuration is. */
  private static final List<ConfigurationPropertyName> READ_AGAIN =
      names("spring.ssl.bundle", "spring.config", "spring.profiles");

  private RestartKeys() {}

  private static List<ConfigurationPropertyName> names(String... names) {
    return List.of(names).stream().map(ConfigurationPropertyName::of).toList();
  }

  /** Returns the keys of Penstock that need a restart and have other values. */
  static List<String> changed(PenstockProperties before, PenstockProperties now) {
    List<String> changed = new ArrayList<>();
    add(changed, "penstock", before, now);
    return changed;
  }

  private static void add(List<String> changed, String prefix, Record before, Record now) {
    for (RecordComponent component : before.getClass().getRecordComponents()) {
      Change change = component.getAnnotation(Change.class);
      String key = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
      Object old = value(component, before);
      Object other = value(component, now);
      if (old instanceof Record section && other instanceof Record same) {
        if (change != null && change.value() == Effect.RESTART) {
          addAll(changed, key, section, same);
        } else {
          add(changed, key, section, same);
        }
      } else if (old instanceof Map<?, ?> parts && other instanceof Map<?, ?> same) {
        addParts(changed, key, parts, same);
      } else if (change != null
          && change.value() == Effect.RESTART
          && !Objects.equals(old, other)) {
        changed.add(key);
      }
    }
  }

  /** Adds keys of parts that there were and are. */
  private static void addParts(
      List<String> changed, String prefix, Map<?, ?> before, Map<?, ?> now) {
    before.forEach((name, part) -> {
      if (part instanceof Record old && now.get(name) instanceof Record other) {
        add(changed, prefix + "." + name, old, other);
      }
    });
  }

  private static void addAll(List<String> changed, String prefix, Record before, Record now) {
    for (RecordComponent component : before.getClass().getRecordComponents()) {
      if (!Objects.equals(value(component, before), value(component, now))) {
        changed.add(prefix + "." + DataObjectPropertyName.toDashedForm(component.getName()));
      }
    }
  }

  static @Nullable Object value(RecordComponent component, Record of) {
    try {
      return component.getAccessor().invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the keys of Spring that have other values. */
  static List<String> changed(ConfigurableEnvironment before, ConfigurableEnvironment now) {
    Set<ConfigurationPropertyName> keys = new TreeSet<>();
    addKeys(keys, before);
    addKeys(keys, now);
    return keys.stream()
        .map(ConfigurationPropertyName::toString)
        .filter(key -> !Objects.equals(value(before, key), value(now, key)))
        .toList();
  }

  private static void addKeys(Set<ConfigurationPropertyName> keys, ConfigurableEnvironment of) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(of)) {
      if (source instanceof IterableConfigurationPropertySource iterable) {
        iterable.stream()
            .filter(key -> isBelow(ROOTS, key) && !isBelow(READ_AGAIN, key))
            .forEach(keys::add);
      }
    }
  }

  private static boolean isBelow(
      List<ConfigurationPropertyName> parents, ConfigurationPropertyName key) {
    return parents.stream().anyMatch(parent -> parent.equals(key) || parent.isAncestorOf(key));
  }

  private static @Nullable String value(ConfigurableEnvironment of, String key) {
    try {
      return of.getProperty(key);
    } catch (RuntimeException e) {
      return "${}"; // a placeholder that is not set
    }
  }
}
