package io.penstock.server.config;

import io.penstock.core.ProxySettings;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/**
 * The whole configuration, read and checked. Nothing is opened and nobody is contacted for it.
 *
 * @param keys for errors that are found later, in the user's words
 * @param properties the values as they were written
 * @param settings what the proxy is built from; with {@code demo} the upstream is a placeholder
 * @param demo whether profile {@code demo} is active, which starts the upstream itself
 */
public record StartConfiguration(
    PropertiesReader keys, PenstockProperties properties, ProxySettings settings, boolean demo) {

  /** The profile that starts a cluster of its own. */
  public static final String DEMO = "demo";

  private static final String UNKNOWN_YET = "redis-cluster://127.0.0.1:1";

  /**
   * Reads and checks everything. Called once at start, on the main thread.
   *
   * @throws InvalidConfigurationException for the first value that cannot be used
   * @throws MissingResourceException if no upstream is configured and {@code demo} is not active
   */
  public static StartConfiguration read(ConfigurableEnvironment environment) {
    PropertiesReader keys = new PropertiesReader(environment);
    PenstockProperties properties = properties(keys);
    ManagementPortCheck.check(environment);
    boolean demo = environment.matchesProfiles(DEMO);
    ProxySettings settings = new SettingsMapping(keys).map(properties, demo ? UNKNOWN_YET : null);
    return new StartConfiguration(
        keys, properties, OpenFilesLimit.ofThisProcess().hold(settings, keys), demo);
  }

  private static PenstockProperties properties(PropertiesReader keys) {
    OptionalValidatorFactoryBean validator = new OptionalValidatorFactoryBean();
    validator.afterPropertiesSet();
    try {
      return keys.read(validator);
    } finally {
      validator.close();
    }
  }

  /** The settings with an upstream that is known now. */
  ProxySettings settingsFor(UpstreamOverride upstream) {
    return OpenFilesLimit.ofThisProcess()
        .hold(new SettingsMapping(keys).map(properties, upstream.resource()), keys);
  }

  @Override
  public String toString() {
    return "StartConfiguration[" + properties + "]"; // the settings hold passwords
  }
}
