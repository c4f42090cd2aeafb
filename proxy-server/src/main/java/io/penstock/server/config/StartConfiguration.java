package io.penstock.server.config;

import io.penstock.core.ProxySettings;
import io.penstock.server.tls.TlsBundles;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/**
 * The whole configuration, read and checked. Reading it opens no port and contacts no server.
 *
 * @param keys for messages about errors that are found later
 * @param properties the values as the user wrote them
 * @param bundles of TLS
 * @param settings the core's settings; with {@code demo} the upstream is a placeholder
 * @param demo whether profile {@code demo} is active, which starts the upstream itself
 */
public record StartConfiguration(
    PropertiesReader keys,
    PenstockProperties properties,
    TlsBundles bundles,
    ProxySettings settings,
    boolean demo) {

  /** The profile that starts its own cluster. */
  public static final String DEMO = "demo";

  /** The option of the profile with which it has TLS. */
  public static final String DEMO_TLS = "demo.tls";

  /** Stands for the demo's cluster, which starts later. */
  private static final String PLACEHOLDER = "redis-cluster://127.0.0.1:1";

  private static final String PLACEHOLDER_WITH_TLS = "rediss-cluster://127.0.0.1:1";

  /**
   * Reads and checks everything. Called once at start, on the main thread.
   *
   * @throws InvalidConfigurationException for the first invalid value
   * @throws MissingResourceException if no upstream is configured and {@code demo} is not active
   */
  public static StartConfiguration read(ConfigurableEnvironment environment) {
    PropertiesReader keys = new PropertiesReader(environment);
    PenstockProperties properties = properties(keys);
    ManagementPortCheck.check(environment);
    boolean demo = environment.matchesProfiles(DEMO);
    boolean nodesHaveTls =
        isDemoWithTls(environment) && properties.transpond().local().tls().bundle() != null;
    String placeholder = nodesHaveTls ? PLACEHOLDER_WITH_TLS : PLACEHOLDER;
    TlsBundles bundles = TlsBundles.of(environment);
    ProxySettings settings =
        new SettingsMapping(keys, bundles).map(properties, demo ? placeholder : null);
    return new StartConfiguration(
        keys, properties, bundles, OpenFilesLimit.ofThisProcess().applyTo(settings, keys), demo);
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

  /**
   * Returns whether the demo has TLS: {@code --demo.tls} is given, without a value or with {@code
   * true}.
   *
   * @throws InvalidConfigurationException if it has another value, or the profile is not active
   */
  public static boolean isDemoWithTls(ConfigurableEnvironment environment) {
    String value = environment.getProperty(DEMO_TLS);
    if (value == null || value.equals("false")) {
      return false;
    }
    if (!value.isEmpty() && !value.equals("true")) {
      throw invalidDemo(environment, "must be true or false", "write --demo.tls, without a value");
    }
    if (!environment.matchesProfiles(DEMO)) {
      throw invalidDemo(
          environment,
          "only the profile demo has it, and it is not active",
          "add --spring.profiles.active=demo; or set penstock.tls.bundle for TLS without the demo");
    }
    return true;
  }

  /** Returns the error of {@code --demo.tls}. */
  public static InvalidConfigurationException invalidDemo(
      ConfigurableEnvironment environment, String reason, String fix) {
    return new InvalidConfigurationException(
        new KeySources(environment).fault(ConfigurationPropertyName.of(DEMO_TLS), reason, fix));
  }

  /** Returns the settings with this upstream. */
  ProxySettings settingsFor(UpstreamOverride upstream) {
    return OpenFilesLimit.ofThisProcess()
        .applyTo(new SettingsMapping(keys, bundles).map(properties, upstream.resource()), keys);
  }

  @Override
  public String toString() {
    return "StartConfiguration[" + properties + "]"; // the settings contain passwords
  }
}
