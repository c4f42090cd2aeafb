package io.penstock.server.start;

import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.KeySources;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Checks the management port before Spring does: for an invalid port or key, the web server prints
 * a stack trace after everything else has started, or ignores it.
 */
final class ManagementPortCheck {

  private static final String MANAGEMENT = "management.server.port";

  /** The key that the web server reads. By default it is the management port. */
  private static final String SERVER = "server.port";

  /** What Spring reads if the management port has a server of its own; these keys apply here. */
  private static final Map<String, String> KEYS_OF_A_SECOND_SERVER =
      Map.of(
          "management.server.address", "server.address",
          "management.server.ssl", "server.ssl",
          "management.server.base-path", "management.endpoints.web.base-path");

  private static final int MAX_PORT = 65_535;

  private ManagementPortCheck() {}

  /**
   * Checks both ports, and keys of a second server.
   *
   * @throws InvalidConfigurationException for a value that is neither a port nor -1; for an empty
   *     management port, because Spring Boot would open 8080; for two different ports: Spring Boot
   *     would open both, and the management port would have neither its limits nor its protection;
   *     and for a key that applies to a second server only
   */
  static void check(ConfigurableEnvironment environment) {
    check(MANAGEMENT, environment);
    check(SERVER, environment);
    rejectEmpty(environment);
    rejectKeysOfASecondServer(environment);
    Integer management = port(environment.getProperty(MANAGEMENT));
    String server = environment.getProperty(SERVER);
    if (management != null && server != null && !management.equals(port(server))) {
      throw new KeySources(environment)
          .invalid(
              ConfigurationPropertyName.of(SERVER),
              MANAGEMENT + " is " + management + ": Penstock has one HTTP port",
              "remove it; " + MANAGEMENT + " is the HTTP port");
    }
  }

  /** An environment variable without a value, for example. */
  private static void rejectEmpty(ConfigurableEnvironment environment) {
    String value = environment.getProperty(MANAGEMENT);
    if (value != null && value.isEmpty()) {
      throw invalid(MANAGEMENT, environment, "it is empty");
    }
  }

  private static void rejectKeysOfASecondServer(ConfigurableEnvironment environment) {
    KeySources sources = new KeySources(environment);
    KEYS_OF_A_SECOND_SERVER.forEach((key, instead) -> {
      ConfigurationPropertyName name = sources.firstAt(ConfigurationPropertyName.of(key));
      if (name != null) {
        throw sources.invalid(
            name,
            "it has no effect: Penstock has one HTTP port",
            "write " + name.toString().replace(key, instead));
      }
    });
  }

  private static void check(String key, ConfigurableEnvironment environment) {
    try {
      if (!isUsable(environment.getProperty(key))) {
        throw invalid(
            key, environment, "must be a port from 0 to 65535, or -1 for no management port");
      }
    } catch (PlaceholderResolutionException e) {
      throw invalid(key, environment, "${" + e.getPlaceholder() + "} is not set");
    }
  }

  private static InvalidConfigurationException invalid(
      String key, ConfigurableEnvironment environment, String reason) {
    return new KeySources(environment)
        .invalid(ConfigurationPropertyName.of(key), reason, "write 9180, the default");
  }

  private static boolean isUsable(@Nullable String value) {
    try {
      Integer port = port(value);
      return port == null || (port >= -1 && port <= MAX_PORT);
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Returns the number, or null if there is none. */
  private static @Nullable Integer port(@Nullable String value) {
    return value == null || value.isEmpty() ? null : Integer.valueOf(value.strip());
  }
}
