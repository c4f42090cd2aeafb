package io.penstock.server.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.server.config.ConfigurationFault;
import io.penstock.server.config.InvalidConfigurationException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.mock.env.MockEnvironment;

/** {@code CheckTest} covers values that are no ports. */
class ManagementPortCheckTest {

  /** Of {@code defaults.yml}. */
  private static final Map<String, Object> DEFAULTS =
      Map.of("management.server.port", "9180", "server.port", "${management.server.port}");

  private static @Nullable ConfigurationFault faultOf(String... keysAndValues) {
    MockEnvironment environment = new MockEnvironment();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      environment.setProperty(keysAndValues[i], keysAndValues[i + 1]);
    }
    MutablePropertySources sources = environment.getPropertySources();
    sources.addLast(new MapPropertySource("defaults", DEFAULTS));
    InvalidConfigurationException failure =
        catchThrowableOfType(
            InvalidConfigurationException.class, () -> ManagementPortCheck.check(environment));
    return failure == null ? null : failure.fault();
  }

  @ParameterizedTest
  @CsvSource({"9180", "0", "-1", "' 9181 '"})
  void theManagementPortAloneCanBeSet(String port) {
    assertThat(faultOf()).isNull();
    assertThat(faultOf("management.server.port", port)).isNull();
  }

  @Test
  void anEmptyManagementPortIsRejected() {
    ConfigurationFault fault = faultOf("management.server.port", "");

    assertThat(fault).isNotNull();
    assertThat(fault.key()).isEqualTo("management.server.port");
    assertThat(fault.reason()).isEqualTo("it is empty");
  }

  @ParameterizedTest
  @CsvSource({"9180", "' 9180'", "09180"})
  void theSamePortCanBeSetTwice(String port) {
    assertThat(faultOf("server.port", port)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"9180, 8080", "9180, 0", "9180, -1", "9180, ''", "-1, 8080", "0, 8080"})
  void anotherPortOfTheServerIsRejected(String management, String server) {
    ConfigurationFault fault = faultOf("management.server.port", management, "server.port", server);

    assertThat(fault).isNotNull();
    assertThat(fault.key()).isEqualTo("server.port");
    assertThat(fault.value()).isEqualTo(server);
    assertThat(fault.reason())
        .isEqualTo(
            "management.server.port is %s: Penstock has one HTTP port".formatted(management));
    assertThat(fault.fix()).isEqualTo("remove it; management.server.port is the HTTP port");
  }

  @ParameterizedTest
  @CsvSource({
    "management.server.address, 127.0.0.1, server.address",
    "management.server.ssl.certificate, a.pem, server.ssl.certificate",
    "management.server.base-path, /manage, management.endpoints.web.base-path"
  })
  void aKeyOfASecondServerIsRejected(String key, String value, String instead) {
    ConfigurationFault fault = faultOf(key, value);

    assertThat(fault).isNotNull();
    assertThat(fault.key()).isEqualTo(key);
    assertThat(fault.value()).isEqualTo(value);
    assertThat(fault.reason()).isEqualTo("it has no effect: Penstock has one HTTP port");
    assertThat(fault.fix()).isEqualTo("write " + instead);
    assertThat(faultOf(key, "")).isNull();
  }

  @Test
  void withoutAManagementPortTheServersIsTheOnlyOne() {
    MockEnvironment environment = new MockEnvironment().withProperty("server.port", "8080");

    ManagementPortCheck.check(environment);

    assertThat(environment.getProperty("management.server.port")).isNull();
  }
}
