package io.penstock.server.config;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.server.mapping.SettingsMapping;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;

/** Configurations of tests, read as at a start. */
final class ConfigurationSources {

  private ConfigurationSources() {}

  /** Returns an environment with these sources and no others, the first of them first. */
  static StandardEnvironment environment(List<PropertySource<?>> sources) {
    StandardEnvironment environment = new StandardEnvironment();
    new ArrayList<>(environment.getPropertySources().stream().toList())
        .forEach(source -> environment.getPropertySources().remove(source.getName()));
    sources.forEach(environment.getPropertySources()::addLast);
    return environment;
  }

  /** Returns a file with this text. */
  static PropertySource<?> yaml(String text) {
    try {
      return new YamlPropertySourceLoader()
          .load("file", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
          .getFirst();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the settings of a configuration that is this file. */
  static ProxySettings settings(String text) {
    PropertiesReader reader = new PropertiesReader(environment(List.of(yaml(text))));
    return new SettingsMapping(reader).map(read(reader), null);
  }

  static PenstockProperties read(PropertiesReader reader) {
    try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
      validator.afterPropertiesSet();
      return reader.read(validator);
    }
  }
}
