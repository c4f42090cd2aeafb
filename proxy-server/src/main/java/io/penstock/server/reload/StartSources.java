package io.penstock.server.reload;

import io.penstock.server.sources.SecretLoggers;
import io.penstock.server.tls.ReloadDefaults;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ResourceLoader;

/**
 * What a start knows before it reads configuration files: arguments, system properties, environment
 * variables, and profiles of the application. A configuration that is read again has the same.
 *
 * @param sources in order of precedence
 * @param profiles that the application adds
 */
public record StartSources(List<PropertySource<?>> sources, List<String> profiles) {

  /** The name of Spring Boot's view of all others; each environment has its own. */
  private static final String VIEW = "configurationProperties";

  public StartSources {
    sources = List.copyOf(sources);
    profiles = List.copyOf(profiles);
  }

  static StartSources of(MutablePropertySources sources, Collection<String> profiles) {
    return new StartSources(
        sources.stream().filter(source -> !source.getName().equals(VIEW)).toList(),
        List.copyOf(profiles));
  }

  /**
   * Reads the configuration files as a start does, and returns everything.
   *
   * @param files loads them
   * @throws RuntimeException one of Spring Boot's or of the YAML parser if a file cannot be used
   */
  ConfigurableEnvironment read(ResourceLoader files) {
    ConfigurableEnvironment environment = new FileProfilesEnvironment();
    MutablePropertySources all = environment.getPropertySources();
    all.stream().map(PropertySource::getName).toList().forEach(all::remove);
    sources.forEach(all::addLast);
    ConfigurationPropertySources.attach(environment);
    ConfigDataEnvironmentPostProcessor.applyTo(
        environment, files, new DefaultBootstrapContext(), profiles);
    SecretLoggers.addTo(environment);
    ConfigurationPropertySources.attach(environment);
    ReloadDefaults.addTo(environment);
    return environment;
  }

  /** As Spring Boot's own environment: it sets the profiles when it has read the files. */
  private static final class FileProfilesEnvironment extends StandardEnvironment {

    @Override
    protected @Nullable String doGetActiveProfilesProperty() {
      return null;
    }

    @Override
    protected @Nullable String doGetDefaultProfilesProperty() {
      return null;
    }
  }
}
