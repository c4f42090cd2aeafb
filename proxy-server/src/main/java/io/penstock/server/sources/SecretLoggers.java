package io.penstock.server.sources;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Keeps loggers that log passwords and tokens at debug or trace at level info, whatever the
 * configuration says; a higher level stays. Spring Boot calls it at the start, on the main thread,
 * before it sets levels.
 */
public final class SecretLoggers implements EnvironmentPostProcessor, Ordered {

  static final String LEVEL = "logging.level.";

  /** The bytes of AUTH, the headers of a request, whole configuration files. */
  static final List<String> NAMES =
      List.of(
          "io.lettuce.core.protocol.CommandEncoder",
          "org.apache.coyote.http11.Http11InputBuffer",
          "org.springframework.boot.env.OriginTrackedYamlLoader");

  /** Levels above info; YAML reads {@code off} as {@code false}. */
  private static final Set<String> HIGHER = Set.of("warn", "error", "fatal", "off", "false");

  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER + 1;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    addTo(environment);
  }

  /** Adds the levels as the first source. A reload does so too, and compares with the start. */
  public static void addTo(ConfigurableEnvironment environment) {
    Map<String, Object> levels = new LinkedHashMap<>();
    for (String name : NAMES) {
      String level = environment.getProperty(LEVEL + name, "").strip().toLowerCase(Locale.ROOT);
      if (!HIGHER.contains(level)) {
        levels.put(LEVEL + name, "info");
      }
    }
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("penstock-secret-loggers", levels));
  }
}
