package io.penstock.server.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Looks at the management port before Spring does: of a port that is none, the web server speaks in
 * a stack trace, after everything else has started.
 */
final class ManagementPortCheck {

  private static final String MANAGEMENT = "management.server.port";

  /** Where the web server reads it from; it is the management port unless the user changes that. */
  private static final String SERVER = "server.port";

  private static final int HIGHEST = 65_535;

  private ManagementPortCheck() {}

  /**
   * Checks both keys.
   *
   * @throws InvalidConfigurationException for a value that is not a port, and not -1
   */
  static void check(ConfigurableEnvironment environment) {
    check(MANAGEMENT, environment);
    check(SERVER, environment);
  }

  private static void check(String key, ConfigurableEnvironment environment) {
    try {
      if (!isUsable(environment.getProperty(key))) {
        throw refusal(
            key, environment, "must be a port from 0 to 65535, or -1 for no management port");
      }
    } catch (PlaceholderResolutionException e) {
      throw refusal(
          key, environment, "${" + e.getPlaceholder() + "} stands for nothing that is set");
    }
  }

  private static InvalidConfigurationException refusal(
      String key, ConfigurableEnvironment environment, String reason) {
    return new InvalidConfigurationException(
        new KeySources(environment)
            .fault(ConfigurationPropertyName.of(key), reason, "write 9180, the default"));
  }

  private static boolean isUsable(@Nullable String value) {
    if (value == null || value.isEmpty()) {
      return true;
    }
    try {
      int port = Integer.parseInt(value.strip());
      return port >= -1 && port <= HIGHEST;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
