package io.penstock.server.config;

import io.penstock.core.transport.Transport;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Checks names of options on the command line, and suggests the right one for a wrong one. */
public final class OptionNames {

  /**
   * The first elements of Spring Boot's keys. The rest is not checked: {@code logging.level} takes
   * any name, and libraries add keys.
   */
  static final List<String> SPRING =
      List.of("debug", "info", "logging", "management", "server", "spring", "trace");

  /** The option of the profile {@code demo} with which it has TLS. */
  public static final String DEMO_TLS = "demo.tls";

  private static final List<String> OWN =
      List.of(PropertiesReader.PREFIX, PropertiesReader.COMPATIBLE_PREFIX);

  private OptionNames() {}

  /**
   * Returns whether there is such a key. Keys of {@code penstock} and the demo must match exactly,
   * others by their first element. Unknown keys of {@code camellia-redis-proxy} are rejected when
   * they are read.
   */
  public static boolean exists(String name) {
    ConfigurationPropertyName key = key(name);
    if (key.isEmpty()) {
      return false;
    }
    String root = root(key);
    return root.equals(PropertiesReader.PREFIX)
        ? PropertiesReader.KEYS.contains(key)
        : key.equals(key(DEMO_TLS))
            || root.equals(uniform(PropertiesReader.COMPATIBLE_PREFIX))
            || SPRING.contains(root);
  }

  /** Returns the key that was meant, or null if none is similar. */
  public static @Nullable String nearest(String name) {
    ConfigurationPropertyName key = key(name);
    if (key.isEmpty()) {
      return null;
    }
    return Stream.concat(withSimilarPrefix(key, OWN), withSimilarPrefix(key, SPRING))
        .filter(OptionNames::exists)
        .findFirst()
        .orElseGet(() -> {
          ConfigurationPropertyName own = PropertiesReader.KEYS.nearest(key);
          return own != null ? own.toString() : similar(key.toString(), DEMO_TLS) ? DEMO_TLS : null;
        });
  }

  /** Returns a constant that is the value of a key, as the configuration writes it. */
  public static String written(Enum<?> constant) {
    String name = constant.toString().toLowerCase(Locale.ROOT);
    return constant instanceof Transport ? name : name.replace('_', '-'); // io_uring
  }

  /** Returns the default of a key of Penstock, or null if it has none. */
  public static @Nullable String defaultOf(String name) {
    return PropertiesReader.KEYS.defaultOf(key(name));
  }

  /** Returns whether both are the same key: case and dashes do not matter. */
  public static boolean same(String one, String other) {
    return key(one).equals(key(other));
  }

  /** Returns whether the first may be a misspelling of the second. */
  public static boolean similar(String wrong, String right) {
    int most = Math.max(2, right.length() / 4);
    if (Math.abs(wrong.length() - right.length()) > most || wrong.equals(right)) {
      return false;
    }
    return KeyTree.distance(wrong, right) <= most;
  }

  /**
   * Returns the key of Penstock that was meant by one with a misspelt prefix, or null if its prefix
   * is not similar to one of Penstock's.
   */
  static @Nullable ConfigurationPropertyName withRightPrefix(ConfigurationPropertyName key) {
    return key.isEmpty()
        ? null
        : withSimilarPrefix(key, OWN).map(OptionNames::key).findFirst().orElse(null);
  }

  /** Returns the key with each of the prefixes that its own is similar to. */
  private static Stream<String> withSimilarPrefix(
      ConfigurationPropertyName key, List<String> prefixes) {
    return prefixes.stream()
        .filter(prefix -> similar(root(key), uniform(prefix)))
        .map(prefix -> key.getNumberOfElements() == 1 ? prefix : prefix + "." + key.subName(1));
  }

  private static ConfigurationPropertyName key(String name) {
    return ConfigurationPropertyName.adapt(name, '.');
  }

  private static String root(ConfigurationPropertyName key) {
    return key.getElement(0, ConfigurationPropertyName.Form.UNIFORM);
  }

  private static String uniform(String prefix) {
    return prefix.replace("-", "").toLowerCase(Locale.ROOT);
  }
}
