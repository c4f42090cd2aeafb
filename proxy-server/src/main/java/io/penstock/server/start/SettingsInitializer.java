package io.penstock.server.start;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.server.secret.SecretKeys;
import io.penstock.server.tls.ReloadDefaults;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Reads the configuration before any bean exists, and registers the results as beans. If the
 * configuration is invalid, its error is the only message: Spring logs no bean that could not be
 * created.
 */
final class SettingsInitializer
    implements ApplicationContextInitializer<GenericApplicationContext> {

  @Override
  public void initialize(GenericApplicationContext application) {
    if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
      return; // the build decides on beans without any configuration (docs/adr/0023)
    }
    ReloadDefaults.addTo(application.getEnvironment());
    SecretKeys.warnOfArguments(application.getEnvironment());
    StartConfiguration configuration = StartConfiguration.read(application.getEnvironment());
    ConfigurableListableBeanFactory beans = application.getBeanFactory();
    beans.registerSingleton("startConfiguration", configuration);
    beans.registerSingleton("propertiesReader", configuration.keys());
    beans.registerSingleton("tlsBundles", configuration.bundles());
    beans.registerSingleton("penstockProperties", configuration.properties());
    if (configuration.demo()) {
      application.registerBean(
          "proxySettings",
          ProxySettings.class,
          () -> configuration.settingsFor(application.getBean(UpstreamOverride.class)));
    } else {
      beans.registerSingleton("proxySettings", configuration.settings());
    }
  }
}
