package io.penstock.server.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * PenstockProperties} gives it, however the user wrote it ({@link KeyNames#canonical}). Lists its
 * keys once: Spring asks for them for each section of each listener and upstream.
 */
final class NamedSource implements IterableConfigurationPropertySource {

  private final ConfigurationPropertySource source;
  private final Predicate<ConfigurationPropertyName> listed;
  private @Nullable List<ConfigurationPropertyName> names;
  private @Nullable Set<ConfigurationPropertyName> sections; // what the names are below

  /**
   * @param source iterable or not; its keys stay the same
   * @param listed which keys of listeners and upstreams it lists: those of other programs'
   *     variables are not among them
   */
  NamedSource(ConfigurationPropertySource source, Predicate<ConfigurationPropertyName> listed) {
    this.source = source;
    this.listed = listed;
  }

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
    return names().stream();
  }

  private List<ConfigurationPropertyName> names() {
    List<ConfigurationPropertyName> known = names;
    if (known == null) {
      known =
          source instanceof IterableConfigurationPropertySource iterable
              ? iterable.stream()
                  .filter(name -> !KeyNames.isNamed(name) || listed.test(name))
                  .map(KeyNames::canonical)
                  .toList()
              : List.of();
      names = known;
    }
    return known;
  }

  @Override
  public ConfigurationPropertyState containsDescendantOf(ConfigurationPropertyName name) {
    ConfigurationPropertyState state = source.containsDescendantOf(name);
    return state == ConfigurationPropertyState.ABSENT && KeyNames.isNamed(name)
        ? (sections().contains(name) // under another name
            ? ConfigurationPropertyState.PRESENT
            : ConfigurationPropertyState.ABSENT)
        : state;
  }

  private Set<ConfigurationPropertyName> sections() {
    Set<ConfigurationPropertyName> known = sections;
    if (known == null) {
      known = new HashSet<>();
      for (ConfigurationPropertyName name : names()) {
        for (int i = 1; i < name.getNumberOfElements(); i++) {
          known.add(name.chop(i));
        }
      }
      sections = known;
    }
    return known;
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
