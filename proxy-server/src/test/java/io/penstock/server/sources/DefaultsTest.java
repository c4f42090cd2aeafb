package io.penstock.server.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.PenstockApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplication.AbandonedRunException;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;

class DefaultsTest {

  private static final ClassPathResource FILE = Defaults.FILE;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  /** Arguments and environment variables; {@code %s} is a folder with {@code application.yml}. */
  record Start(List<String> arguments, Map<String, String> variables) {

    static Start of(String... arguments) {
      return new Start(List.of(arguments), Map.of());
    }

    static Start with(String variable, String value) {
      return new Start(List.of(), Map.of(variable, value));
    }

    /** Returns the environment after Spring Boot has read all files. */
    ConfigurableEnvironment environment() {
      StandardEnvironment environment = new StandardEnvironment();
      Map<String, Object> system = new HashMap<>(System.getenv());
      variables.forEach((name, value) -> system.put(name, value.formatted(folder)));
      environment
          .getPropertySources()
          .replace(
              StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
              new SystemEnvironmentPropertySource(
                  StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, system));
      SpringApplication application = new SpringApplication(PenstockApplication.class);
      application.setEnvironment(environment);
      AtomicReference<ConfigurableEnvironment> read = new AtomicReference<>();
      try {
        SpringApplication.withHook(
            _ -> new Reader(read),
            () -> {
              application.run(
                  arguments.stream()
                      .map(argument -> argument.formatted(folder))
                      .toArray(String[]::new));
            });
      } catch (AbandonedRunException _) {
        // before there is any bean
      }
      return Objects.requireNonNull(read.get());
    }
  }

  private record Reader(AtomicReference<ConfigurableEnvironment> environment)
      implements SpringApplicationRunListener {

    @Override
    public void environmentPrepared(
        ConfigurableBootstrapContext bootstrap, ConfigurableEnvironment prepared) {
      environment.set(prepared);
      throw new AbandonedRunException();
    }
  }

  static Stream<Start> starts() throws IOException {
    Files.writeString(folder.resolve("application.yml"), "penstock.max-clients: 77");
    Files.writeString(folder.resolve("other.yml"), "penstock.max-clients: 77");
    Files.createDirectories(folder.resolve("none"));
    return Stream.of(
        Start.of(),
        Start.of("--spring.config.location=file:%s/application.yml"),
        Start.of("--spring.config.location=file:%s/"),
        Start.of("--spring.config.location=optional:file:%s/none/"),
        Start.of("--spring.config.location=file:%s/", "--spring.config.name=other"),
        Start.of("--spring.config.name=other"),
        Start.of("--spring.config.additional-location=file:%s/"),
        Start.of("--spring.config.import=file:%s/other.yml"),
        Start.with("SPRING_CONFIG_LOCATION", "file:%s/application.yml"),
        Start.with("SPRING_CONFIG_LOCATION", "file:%s/"),
        Start.with("SPRING_CONFIG_NAME", "other"),
        Start.with("SPRING_CONFIG_ADDITIONALLOCATION", "file:%s/"),
        Start.with("SPRING_CONFIG_ADDITIONAL_LOCATION", "file:%s/"));
  }

  private static Map<Object, Object> defaults() {
    YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
    yaml.setResources(FILE);
    Properties keys = Objects.requireNonNull(yaml.getObject());
    assertThat(keys).isNotEmpty();
    return keys;
  }

  @ParameterizedTest
  @MethodSource("starts")
  void everyDefaultIsInForceWhereverTheFilesAre(Start start) {
    ConfigurableEnvironment environment = start.environment();

    assertThat(defaults())
        .allSatisfy((key, value) -> {
          assertThat(environment.getProperty(key.toString()))
              .as(key.toString())
              .isEqualTo(environment.resolveRequiredPlaceholders(value.toString()));
        });
    assertThat(environment.getProperty("server.port")).isEqualTo("9180");
  }

  @ParameterizedTest
  @MethodSource("starts")
  void everyLogLevelIsInForce(Start start) {
    start.environment();

    assertThat(defaults())
        .allSatisfy((key, value) -> {
          if (key.toString().startsWith(SecretLoggers.LEVEL)) {
            assertThat(level(key.toString().substring(SecretLoggers.LEVEL.length())))
                .as(key.toString())
                .isEqualTo(LogLevel.valueOf(value.toString().toUpperCase(Locale.ROOT)));
          }
        });
    assertThat(SecretLoggers.NAMES).allMatch(name -> level(name) == LogLevel.INFO);
  }

  private static LogLevel level(String logger) {
    LoggingSystem logging = LoggingSystem.get(DefaultsTest.class.getClassLoader());
    String name = logger.equals("root") ? LoggingSystem.ROOT_LOGGER_NAME : logger;
    return Objects.requireNonNull(logging.getLoggerConfiguration(name)).getEffectiveLevel();
  }

  /** It would be read only as long as no option names other files. */
  @Test
  void theJarHasNoApplicationFile() {
    assertThat(List.of("application.yml", "application.yaml", "application.properties"))
        .allMatch(name -> !new ClassPathResource(name).exists())
        .allMatch(name -> !new ClassPathResource("config/" + name).exists());
  }

  @Test
  void filesOverrideDefaults() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("own.yml"),
            """
            management.server.port: 9191
            server.tomcat.max-connections: 5
            logging.level.root: error
            """);

    ConfigurableEnvironment environment =
        Start.of("--spring.config.location=file:" + file).environment();

    assertThat(environment.getProperty("management.server.port")).isEqualTo("9191");
    assertThat(environment.getProperty("server.port")).isEqualTo("9191");
    assertThat(environment.getProperty("server.tomcat.max-connections")).isEqualTo("5");
    assertThat(level("root")).isEqualTo(LogLevel.ERROR);
  }

  @ParameterizedTest
  @CsvSource({"trace, INFO", "DEBUG, INFO", "'', INFO", "info, INFO", "warn, WARN", "off, OFF"})
  void loggersOfSecretsHaveAtLeastLevelInfo(String configured, LogLevel level) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("levels.yml"),
            SecretLoggers.NAMES.stream()
                .map(name -> "logging.level.%s: %s%n".formatted(name, configured))
                .collect(Collectors.joining()));

    Start.of("--spring.config.location=file:" + file, "--logging.level.root=trace").environment();

    assertThat(SecretLoggers.NAMES).allMatch(name -> level(name) == level);
    assertThat(level("root")).isEqualTo(LogLevel.TRACE);
  }
}
