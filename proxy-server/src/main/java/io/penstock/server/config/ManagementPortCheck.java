package io.penstock.server.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Checks the management port before Spring does: for an invalid port, the web server prints a stack
 * trace after everything else has started.
 */
final class ManagementPortCheck {

  private static final String MANAGEMENT = "management.server.port";

  /** The key that the web server reads. By default it is the management port. */
  private static final String SERVER = "server.port";

  private static final int MAX_PORT = 65_535;

  private ManagementPortCheck() {}

  /**
   * Checks both keys.
   *
   * @throws InvalidConfigurationException for a value that is neither a port nor -1; for an empty
   *     management port, because Spring Boot would open 8080; and for two different ports: Spring
   *     Boot would open both, and the management port would have neither its limits nor its
   *     protection
   */
  static void check(ConfigurableEnvironment environment) {
    check(MANAGEMENT, environment);
    check(SERVER, environment);
    rejectEmpty(environment);
    Integer management = port(environment.getProperty(MANAGEMENT));
    String server = environment.getProperty(SERVER);
    if (management != null && server != null && !management.equals(port(server))) {
      throw new InvalidConfigurationException(
          new KeySources(environment)
              .fault(
                  ConfigurationPropertyName.of(SERVER),
                  MANAGEMENT + " is " + management + ": Penstock has one HTTP port",
                  "remove it; " + MANAGEMENT + " is the HTTP port"));
    }
  }

  /** An environment variable without a value, for example. */
  private static void rejectEmpty(ConfigurableEnvironment environment) {
    String value = environment.getProperty(MANAGEMENT);
    if (value != null && value.isEmpty()) {
      throw invalid(MANAGEMENT, environment, "it is empty");
    }
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
    return new InvalidConfigurationException(
        new KeySources(environment)
            .fault(ConfigurationPropertyName.of(key), reason, "write 9180, the default"));
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
