package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.server.cli.Check;
import io.penstock.server.cli.CommandLine;
import io.penstock.server.cli.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@ExtendWith(OutputCaptureExtension.class)
class RenamedKeysTest {

  private static final String OLD = "penstock.backend.max-in-flight";
  private static final String NEW = "penstock.backend.max-in-flight-per-connection";
  private static final String WARNING =
      " is deprecated and stops working with the next release; rename it to ";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        OLD,
        "penstock.backend.maxInFlight",
        "penstock.backend.max_in_flight",
        "PENSTOCK.BACKEND.MAX-IN-FLIGHT"
      })
  void anOldNameSetsTheValueAndWarns(String written, CapturedOutput log) {
    assertThat(inFlight(file(Map.of(written, "33")))).isEqualTo(33);

    assertThat(log)
        .containsOnlyOnce(WARNING + NEW)
        .contains("\"" + written + "\" from property source \"test\"");
  }

  @Test
  void everyOldNameIsReadAsItsNewName(CapturedOutput log) {
    PenstockProperties properties =
        read(file(Map.of(OLD, "33", "penstock.topology.adaptive-timeout", "7s")));

    assertThat(RenamedKeys.newByOld()).hasSize(2);
    assertThat(properties.backend().maxInFlightPerConnection()).isEqualTo(33);
    assertThat(properties.topology().minRefreshInterval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(log)
        .contains("penstock.topology.adaptive-timeout")
        .contains(WARNING + "penstock.topology.min-refresh-interval");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PENSTOCK_BACKEND_MAX_IN_FLIGHT", "PENSTOCK_BACKEND_MAXINFLIGHT"})
  void environmentVariablesKnowTheOldName(String variable, CapturedOutput log) {
    assertThat(inFlight(variables(Map.of(variable, "34")))).isEqualTo(34);

    assertThat(log).contains(WARNING + NEW).contains(variable);
  }

  @Test
  void theWarningNamesFileAndLine(CapturedOutput log) throws IOException {
    Path yaml = folder.resolve("application.yml");
    Files.writeString(yaml, "penstock:\n  backend:\n    max-in-flight: 35\n");

    assertThat(inFlight(yaml(yaml))).isEqualTo(35);
    assertThat(log)
        .containsPattern(
            "WARN .* " + OLD + " \\(file \\[.*application.yml] - 3:20\\)" + WARNING + NEW);
  }

  /** IDEs read it. */
  @Test
  void metadataMarksTheOldNamesAsDeprecated() throws IOException {
    String file = "/META-INF/additional-spring-configuration-metadata.json";
    Map<ConfigurationPropertyName, ConfigurationPropertyName> described = new TreeMap<>();
    try (InputStream in = getClass().getResourceAsStream(file)) {
      for (JsonNode key : JsonMapper.shared().readTree(in).get("properties")) {
        described.put(
            ConfigurationPropertyName.of(key.get("name").asString()),
            ConfigurationPropertyName.of(key.at("/deprecation/replacement").asString()));
      }
    }

    assertThat(described).isEqualTo(RenamedKeys.newByOld());
  }

  @Test
  void theNewNameDoesNotWarn(CapturedOutput log) {
    assertThat(inFlight(file(Map.of(NEW, "36")))).isEqualTo(36);
    assertThat(inFlight(variables(Map.of("PENSTOCK_BACKEND_MAX_IN_FLIGHT_PER_CONNECTION", "37"))))
        .isEqualTo(37);

    assertThat(log).doesNotContain("deprecated");
  }

  @Test
  void theFirstSourceThatHasTheOldNameWins(CapturedOutput log) {
    assertThat(inFlight(variables(Map.of("PENSTOCK_BACKEND_MAXINFLIGHT", "1")), file(OLD, "2")))
        .isEqualTo(1);

    assertThat(log).contains("PENSTOCK_BACKEND_MAXINFLIGHT").contains("property source \"test\"");
  }

  @Test
  void oldAndNewNameTogetherStopTheStart() {
    ConfigurationFault fault = faultOf(file(Map.of(OLD, "1", NEW, "1")));

    assertThat(fault)
        .isEqualTo(
            new ConfigurationFault(
                OLD,
                "1",
                "\"" + OLD + "\" from property source \"test\"",
                "it is the old name of "
                    + NEW
                    + ", which is set too (\""
                    + NEW
                    + "\" from property source \"test\")",
                "remove " + OLD));
  }

  @Test
  void oldAndNewNameInTwoSourcesStopTheStart() {
    ConfigurationFault fault =
        faultOf(variables(Map.of("PENSTOCK_BACKEND_MAX_IN_FLIGHT", "1")), file(NEW, "2"));

    assertThat(fault.key()).isEqualTo(OLD);
    assertThat(fault.origin()).contains("PENSTOCK_BACKEND_MAX_IN_FLIGHT");
    assertThat(fault.reason()).contains("\"" + NEW + "\" from property source \"test\"");
  }

  @ParameterizedTest
  @CsvSource({
    "0, must be from 1 to 1000000",
    "many, it is not a whole number",
    "${NOWHERE}, ${NOWHERE} is not set"
  })
  void errorsNameTheKeyThatTheUserWrote(String value, String reason) {
    ConfigurationFault fault = faultOf(file(OLD, value));

    assertThat(fault.key()).isEqualTo(OLD);
    assertThat(fault.value()).isEqualTo(value);
    assertThat(fault.origin()).contains(OLD);
    assertThat(fault.reason()).isEqualTo(reason);
  }

  @Test
  void anOldDurationNeedsAUnitToo() {
    ConfigurationFault fault = faultOf(file("penstock.topology.adaptive-timeout", "7"));

    assertThat(fault.key()).isEqualTo("penstock.topology.adaptive-timeout");
    assertThat(fault.reason()).isEqualTo("it has no unit");
  }

  @Test
  void misspeltKeysAreToldTheNewName() {
    assertThat(faultOf(file("penstock.backend.max-in-fligt", "1")).fix()).contains(NEW);
    assertThat(faultOf(file("penstok.backend.max-in-flight", "1")).fix()).contains(NEW);
    assertThat(faultOf(variables(Map.of("PENSTOK_BACKEND_MAX_IN_FLIGHT", "1"))).fix())
        .contains(NEW);
  }

  @Test
  void theCommandLineKnowsTheOldName() {
    assertThat(OptionNames.exists(OLD)).isTrue();
    assertThat(OptionNames.exists("penstock.backend.maxInFlight")).isTrue();
    assertThat(OptionNames.defaultOf(OLD)).isEqualTo("4096");
    assertThat(OptionNames.nearest("penstock.backend.max-in-fligt")).isEqualTo(NEW);
    assertThatCode(() -> CommandLine.of("--" + OLD + "=5")).doesNotThrowAnyException();
    assertThat(
            catchThrowableOfType(
                UsageException.class, () -> CommandLine.of("--penstock.max-in-flight=5")))
        .isNotNull();
  }

  @Test
  void aCheckWarnsAndFailsAsAStartDoes(CapturedOutput log) {
    assertThat(check("--" + OLD + "=5")).isTrue();
    assertThat(log)
        .containsOnlyOnce(WARNING + NEW)
        .contains("\"" + OLD + "\" from property source \"commandLineArgs\"");

    assertThat(check("--" + OLD + "=5", "--" + NEW + "=5")).isFalse();
    assertThat(log).contains("Key:    " + OLD).contains("Fix:    remove " + OLD);
  }

  private static boolean check(String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--penstock.transpond.local.resource=redis://127.0.0.1:1");
    return Check.succeeds(
        new SpringApplication(RenamedKeysTest.class),
        all,
        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
  }

  private static PropertySource<?> file(String key, String value) {
    return file(Map.of(key, value));
  }

  private static PropertySource<?> file(Map<String, String> keys) {
    return new MapPropertySource("test", new LinkedHashMap<>(keys));
  }

  private static PropertySource<?> yaml(Path file) throws IOException {
    return new YamlPropertySourceLoader().load("yaml", new FileSystemResource(file)).getFirst();
  }

  private static PropertySource<?> variables(Map<String, String> variables) {
    return new SystemEnvironmentPropertySource(
        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
        new LinkedHashMap<>(variables));
  }

  private static int inFlight(PropertySource<?>... sources) {
    return read(sources).backend().maxInFlightPerConnection();
  }

  private static PenstockProperties read(PropertySource<?>... sources) {
    ConfigurableEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    List.of(sources).forEach(environment.getPropertySources()::addLast);
    try (LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean()) {
      validator.afterPropertiesSet();
      return new PropertiesReader(environment).read(validator);
    }
  }

  private static ConfigurationFault faultOf(PropertySource<?>... sources) {
    return catchThrowableOfType(InvalidConfigurationException.class, () -> read(sources)).fault();
  }
}
