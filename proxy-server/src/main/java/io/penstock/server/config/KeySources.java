package io.penstock.server.config;

import io.penstock.server.secret.SecretKeys;
import io.penstock.server.url.ResourceUrl;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The sources of keys and values: files, environment variables, system properties, arguments. */
public final class KeySources {

  private static final ConfigurationPropertyName TEST_PROPERTIES =
      ConfigurationPropertyName.of("penstock.test");

  private final Iterable<ConfigurationPropertySource> sources;

  public KeySources(ConfigurableEnvironment environment) {
    this.sources = ConfigurationPropertySources.from(environment.getPropertySources());
  }

  /**
   * Returns the keys below a prefix. Environment variables count only if {@code known} has the key:
   * Kubernetes sets {@code PENSTOCK_SERVICE_HOST} and others in every pod if a Service has that
   * name. They are looked up by key, because the name of a variable does not distinguish dashes
   * from dots. System properties below {@code penstock.test} belong to the tests, which start
   * Penstock in their own JVM. A section with only comments below it, an empty value in YAML, is
   * ignored.
   */
  Set<ConfigurationPropertyName> below(String prefix, KeyTree known) {
    ConfigurationPropertyName parent = ConfigurationPropertyName.of(prefix);
    Set<ConfigurationPropertyName> found = new LinkedHashSet<>();
    for (ConfigurationPropertySource source : sources) {
      if (isEnvironmentVariables(source)) {
        Stream.concat(names(source).filter(known::contains), known.names())
            .filter(
                name -> parent.isAncestorOf(name) && isSet(source.getConfigurationProperty(name)))
            .forEach(found::add);
      } else {
        names(source)
            .filter(parent::isAncestorOf)
            .filter(name -> !(isTestProperty(name) && isSystemProperties(source)))
            .filter(name -> !(known.isSection(name) && isEmpty(source, name)))
            .forEach(found::add);
      }
    }
    return new TreeSet<>(found);
  }

  /**
   * Returns how the names directly below a key are written, by their uniform form. Environment
   * variables come last, because their names have no dashes, and count only if {@code known} has
   * the key.
   */
  Map<String, Set<String>> namesBelow(ConfigurationPropertyName parent, KeyTree known) {
    Map<String, Set<String>> found = new LinkedHashMap<>();
    for (ConfigurationPropertySource source : sources) {
      if (!isEnvironmentVariables(source)) {
        names(source)
            .filter(parent::isAncestorOf)
            .forEach(name -> spelled(name, found).add(KeyNames.nameIn(name)));
      }
    }
    for (ConfigurationPropertySource source : sources) {
      if (isEnvironmentVariables(source)) {
        names(source)
            .filter(name -> parent.isAncestorOf(name) && known.contains(name))
            .filter(name -> isSet(source.getConfigurationProperty(name)))
            .filter(name -> spelled(name, found).isEmpty())
            .forEach(name -> spelled(name, found).add(KeyNames.nameIn(name)));
      }
    }
    return found;
  }

  /** Returns how the name of a listener or an upstream is written, as far as it was found. */
  private static Set<String> spelled(
      ConfigurationPropertyName key, Map<String, Set<String>> found) {
    return found.computeIfAbsent(
        key.getElement(KeyNames.NAME, ConfigurationPropertyName.Form.UNIFORM),
        _ -> new LinkedHashSet<>());
  }

  /**
   * Returns the first key that would be one of {@code known} with the right prefix, or null. An
   * environment variable counts only if the rest of its name is a key of Penstock: other variables
   * belong to other programs.
   */
  @Nullable ConfigurationPropertyName withMisspeltPrefix(KeyTree known) {
    for (ConfigurationPropertySource source : sources) {
      boolean variables = isEnvironmentVariables(source);
      ConfigurationPropertyName wrong =
          names(source)
              .filter(name -> OptionNames.withRightPrefix(name) != null)
              .filter(name -> !variables || isMisspeltVariable(name, source, known))
              .min(Comparator.naturalOrder())
              .orElse(null);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  /** For a Service named penstocks or penstock2, Kubernetes sets variables with that prefix. */
  private static boolean isMisspeltVariable(
      ConfigurationPropertyName name, ConfigurationPropertySource source, KeyTree known) {
    String written = name.getElement(0, ConfigurationPropertyName.Form.UNIFORM);
    return !written.startsWith(PropertiesReader.PREFIX)
        && known.variableNamed(name) != null
        && isSet(source.getConfigurationProperty(name));
  }

  private static Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
    return source instanceof IterableConfigurationPropertySource iterable
        ? iterable.stream()
        : Stream.empty();
  }

  private static boolean isEmpty(
      ConfigurationPropertySource source, ConfigurationPropertyName name) {
    ConfigurationProperty property = source.getConfigurationProperty(name);
    return property != null && property.getValue().toString().isEmpty();
  }

  /** Returns whether the variable is set, and not by Kubernetes. */
  private static boolean isSet(@Nullable ConfigurationProperty variable) {
    return variable != null && !isServiceLink(String.valueOf(variable.getValue()));
  }

  /**
   * Returns whether it is the value of {@code PENSTOCK_PORT} that Kubernetes sets for a Service.
   */
  static boolean isServiceLink(String value) {
    return value.startsWith("tcp://");
  }

  /** Returns the sources in order of precedence: the first that has a key wins. */
  Iterable<ConfigurationPropertySource> all() {
    return sources;
  }

  /** Returns the first key with this name or below it that has a value, or null. */
  public @Nullable ConfigurationPropertyName firstAt(ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : sources) {
      ConfigurationPropertyName found =
          Stream.concat(Stream.of(name), names(source).filter(name::isAncestorOf))
              .filter(key -> source.getConfigurationProperty(key) != null && !isEmpty(source, key))
              .min(Comparator.naturalOrder())
              .orElse(null);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
    for (ConfigurationPropertySource source : sources) {
      ConfigurationProperty property = source.getConfigurationProperty(name);
      if (property != null) {
        return property;
      }
    }
    return null;
  }

  /** Returns the value of a key; of a list that is written as one, its first element. */
  @Nullable ConfigurationProperty findValue(ConfigurationPropertyName name) {
    ConfigurationProperty property = find(name);
    return property == null ? find(name.append("[0]")) : property;
  }

  /** Returns whether one source has both keys. */
  boolean hasBoth(ConfigurationPropertyName one, ConfigurationPropertyName other) {
    for (ConfigurationPropertySource source : sources) {
      if (source.getConfigurationProperty(one) != null
          && source.getConfigurationProperty(other) != null) {
        return true;
      }
    }
    return false;
  }

  /** Returns the error of a key with a value that may be shown; passwords are masked. */
  public InvalidConfigurationException invalid(
      ConfigurationPropertyName name, String reason, String fix) {
    ConfigurationProperty property = find(name);
    String value = property == null ? null : shown(name, String.valueOf(property.getValue()));
    return new InvalidConfigurationException(
        new ConfigurationFault(name.toString(), value, origin(findValue(name)), reason, fix));
  }

  /** Returns the error of an unknown key. Its value is not shown: it may be a password. */
  InvalidConfigurationException unknown(ConfigurationPropertyName key, String reason, String fix) {
    return unknown(key.toString(), key, reason, fix);
  }

  /**
   * Returns the error of a name that is no key itself.
   *
   * @param at the key that has it
   */
  InvalidConfigurationException unknown(
      String name, ConfigurationPropertyName at, String reason, String fix) {
    return new InvalidConfigurationException(
        new ConfigurationFault(name, null, origin(find(at)), reason, fix));
  }

  private static String shown(ConfigurationPropertyName name, String value) {
    String key = name.getLastElement(ConfigurationPropertyName.Form.UNIFORM);
    if (SecretKeys.isSecret(key) || KeyNames.isOfUserRules(name)) {
      return value.isEmpty() ? "" : "***";
    }
    return value.contains("://")
            || key.equals("resource")
            || KeyNames.isUrlOfUpstream(name)
            || KeyNames.isOfShard(name)
        ? ResourceUrl.masked(value)
        : value;
  }

  private static @Nullable String origin(@Nullable ConfigurationProperty property) {
    Origin origin = property == null ? null : property.getOrigin();
    return origin == null ? null : origin.toString();
  }

  private static boolean isTestProperty(ConfigurationPropertyName name) {
    return TEST_PROPERTIES.isAncestorOf(name);
  }

  private static boolean isEnvironmentVariables(ConfigurationPropertySource source) {
    return isNamed(source, StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
  }

  private static boolean isSystemProperties(ConfigurationPropertySource source) {
    return isNamed(source, StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
  }

  private static boolean isNamed(ConfigurationPropertySource source, String name) {
    return source.getUnderlyingSource() instanceof PropertySource<?> underlying
        && name.equals(underlying.getName());
  }
}
