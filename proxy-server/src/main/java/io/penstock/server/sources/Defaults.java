package io.penstock.server.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;

/**
 * Adds {@code defaults.yml} as Spring Boot's default properties, which every other source
 * overrides, and no option replaces. Before the sources of a start are recorded, so that a reload
 * has them too. Spring Boot calls it at the start, on the main thread.
 */
final class Defaults implements EnvironmentPostProcessor, Ordered {

  static final ClassPathResource FILE = new ClassPathResource("defaults.yml", Defaults.class);

  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER - 2;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    MutablePropertySources sources = environment.getPropertySources();
    Map<String, Object> defaults = new LinkedHashMap<>();
    read().forEach(source -> addTo(defaults, source));
    PropertySource<?> others = sources.get(DefaultPropertiesPropertySource.NAME);
    if (others != null) { // of a program that starts Penstock in its own JVM
      addTo(defaults, others);
    }
    sources.addLast(
        new OriginTrackedMapPropertySource(DefaultPropertiesPropertySource.NAME, defaults, true));
  }

  private static Iterable<PropertySource<?>> read() {
    try {
      return new YamlPropertySourceLoader().load(DefaultPropertiesPropertySource.NAME, FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the jar is damaged
    }
  }

  private static void addTo(Map<String, Object> defaults, PropertySource<?> source) {
    if (source.getSource() instanceof Map<?, ?> map) {
      map.forEach((key, value) -> defaults.put(key.toString(), value));
    }
  }
}
