package io.penstock.server.config;

import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/**
 * A source in which each key of a listener or an upstream has the name that {@link
 * PenstockProperties} gives it, however the user wrote it ({@link KeyNames#canonical}).
 *
 * @param source iterable or not
 * @param listed which keys of listeners and upstreams it lists: those of other programs' variables
 *     are not among them
 */
record NamedSource(ConfigurationPropertySource source, Predicate<ConfigurationPropertyName> listed)
    implements IterableConfigurationPropertySource {

  @Override
  public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
    if (KeyNames.isNamed(name)
        ? name.getNumberOfElements() <= KeyNames.KEY
        : name.equals(KeyNames.LISTENERS) || name.equals(KeyNames.UPSTREAMS)) {
      return null; // a section, to Spring
    }
    ConfigurationProperty property = source.getConfigurationProperty(name);
    ConfigurationPropertyName other = property == null ? KeyNames.shortForm(name) : null;
    return other == null ? property : source.getConfigurationProperty(other);
  }

  @Override
  public Stream<ConfigurationPropertyName> stream() {
    if (!(source instanceof IterableConfigurationPropertySource iterable)) {
      return Stream.empty();
    }
    return iterable.stream()
        .filter(name -> !KeyNames.isNamed(name) || listed.test(name))
        .map(KeyNames::canonical);
  }

  @Override
  public ConfigurationPropertyState containsDescendantOf(ConfigurationPropertyName name) {
    ConfigurationPropertyState state = source.containsDescendantOf(name);
    return state == ConfigurationPropertyState.ABSENT && KeyNames.isNamed(name)
        ? IterableConfigurationPropertySource.super.containsDescendantOf(name) // of another name
        : state;
  }

  @Override
  public @Nullable Object getUnderlyingSource() {
    return source.getUnderlyingSource();
  }

  /** Returns a source with the defaults of listeners and upstreams: the values outside of them. */
  ConfigurationPropertySource defaults() {
    return name -> {
      ConfigurationPropertyName outside = KeyNames.inherited(name);
      return outside == null ? null : source.getConfigurationProperty(outside);
    };
  }
}
