package io.penstock.server.start;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.KeySources;
import io.penstock.server.config.OptionNames;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import io.penstock.server.mapping.MissingResourceException;
import io.penstock.server.mapping.SettingsMapping;
import io.penstock.server.tls.TlsBundles;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/**
 * The whole configuration, read and checked. Reading it opens no port and contacts no server.
 *
 * @param keys for messages about errors that are found later
 * @param properties the values as the user wrote them
 * @param bundles of TLS
 * @param settings the core's settings; with {@code demo} the upstream is a placeholder at the start
 * @param managementToken that requests which change something must have, or null
 * @param demo whether profile {@code demo} is active, which starts the upstream itself
 * @param files how many files the process may open, as it was found at the start
 */
public record StartConfiguration(
    PropertiesReader keys,
    PenstockProperties properties,
    TlsBundles bundles,
    ProxySettings settings,
    @Nullable String managementToken,
    boolean demo,
    OpenFilesLimit files) {

  /** The profile that starts its own cluster. */
  public static final String DEMO = "demo";

  private static final String NODES_TLS_BUNDLE = "penstock.transpond.local.tls.bundle";

  /** Stands for the demo's cluster, which starts later. */
  private static final String PLACEHOLDER = "redis-cluster://127.0.0.1:1";

  private static final String PLACEHOLDER_WITH_TLS = "rediss-cluster://127.0.0.1:1";

  /**
   * Reads and checks everything. Called once at start, on the main thread.
   *
   * @throws InvalidConfigurationException for the first invalid value
   * @throws BindException for one that Spring Boot explains
   * @throws MissingResourceException if no upstream is configured and {@code demo} is not active
   */
  public static StartConfiguration read(ConfigurableEnvironment environment) {
    boolean nodesHaveTls =
        isDemoWithTls(environment) && environment.getProperty(NODES_TLS_BUNDLE) != null;
    String placeholder = nodesHaveTls ? PLACEHOLDER_WITH_TLS : PLACEHOLDER;
    return read(
        environment,
        TlsBundles.of(environment),
        environment.matchesProfiles(DEMO) ? placeholder : null,
        OpenFilesLimit.ofThisProcess(),
        null);
  }

  /**
   * Reads and checks the configuration that is to replace this one. On the thread of the reload.
   *
   * @param demo the cluster of profile {@code demo}, or null without that profile
   * @throws InvalidConfigurationException for the first invalid value
   * @throws BindException for one that Spring Boot explains
   * @throws MissingResourceException if no upstream is configured and {@code demo} is not active
   */
  public StartConfiguration successor(
      ConfigurableEnvironment environment, @Nullable UpstreamOverride demo) {
    if (environment.matchesProfiles(DEMO) != (demo != null)) {
      throw new KeySources(environment)
          .invalid(
              ConfigurationPropertyName.of("spring.profiles.active"),
              "profile demo starts servers, and can only be chosen at the start",
              "restart Penstock, or undo the change");
    }
    if (demo != null) {
      demo.addTo(environment);
    }
    TlsBundles next = bundles.successor(environment);
    return read(environment, next, demo == null ? null : demo.resource(), files, settings);
  }

  /**
   * @param running the settings of the proxy, if it runs
   */
  private static StartConfiguration read(
      ConfigurableEnvironment environment,
      TlsBundles bundles,
      @Nullable String demo,
      OpenFilesLimit files,
      @Nullable ProxySettings running) {
    PropertiesReader keys = new PropertiesReader(environment);
    PenstockProperties properties = properties(keys);
    ManagementPortCheck.check(environment);
    String token =
        keys.secret(
            "management-token", properties.managementToken(), properties.managementTokenFile());
    ProxySettings settings = new SettingsMapping(keys, bundles).map(properties, demo);
    ProxySettings limited = files.applyTo(settings, running == null ? settings : running, keys);
    return new StartConfiguration(keys, properties, bundles, limited, token, demo != null, files);
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
    String value = environment.getProperty(OptionNames.DEMO_TLS);
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
    return new KeySources(environment)
        .invalid(ConfigurationPropertyName.of(OptionNames.DEMO_TLS), reason, fix);
  }

  /** Returns the settings with this upstream. */
  ProxySettings settingsFor(UpstreamOverride upstream) {
    return files.applyTo(
        new SettingsMapping(keys, bundles).map(properties, upstream.resource()), keys);
  }

  /** Returns it with what only a restart can change as in the settings of a running proxy. */
  public StartConfiguration withProcessOf(ProxySettings running) {
    ProxySettings same = settings.asRunning(running);
    return new StartConfiguration(keys, properties, bundles, same, managementToken, demo, files);
  }

  @Override
  public String toString() {
    return "StartConfiguration[" + properties + "]"; // the settings contain passwords
  }
}
