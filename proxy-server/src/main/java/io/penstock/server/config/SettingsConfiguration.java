package io.penstock.server.config;

import io.penstock.core.ProxySettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.validation.beanvalidation.OptionalValidatorFactoryBean;

/** The beans that come from the configuration alone. */
@Configuration(proxyBeanMethods = false)
@Lazy(false) // whatever else waits until it is needed: what is wrong here ends the start
public class SettingsConfiguration {

  @Bean
  PropertiesReader propertiesReader(ConfigurableEnvironment environment) {
    return new PropertiesReader(environment);
  }

  @Bean
  PenstockProperties penstockProperties(PropertiesReader reader) {
    OptionalValidatorFactoryBean validator = new OptionalValidatorFactoryBean();
    validator.afterPropertiesSet();
    try {
      return reader.read(validator);
    } finally {
      validator.close();
    }
  }

  @Bean
  ProxySettings proxySettings(
      PropertiesReader reader,
      PenstockProperties properties,
      ObjectProvider<UpstreamOverride> override) {
    UpstreamOverride instead = override.getIfAvailable();
    String demo = instead == null ? null : instead.resource();
    return OpenFilesLimit.ofThisProcess()
        .hold(new SettingsMapping(reader).map(properties, demo), reader);
  }
}
