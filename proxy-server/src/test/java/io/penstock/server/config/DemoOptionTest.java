package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.server.start.StartConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.env.MockEnvironment;

class DemoOptionTest {

  private final MockEnvironment environment = new MockEnvironment();

  @ParameterizedTest
  @CsvSource({"'', true", "true, true", "false, false"})
  void isGivenWithOrWithoutAValue(String value, boolean tls) {
    environment.setActiveProfiles("demo");
    environment.setProperty("demo.tls", value);

    assertThat(StartConfiguration.isDemoWithTls(environment)).isEqualTo(tls);
    assertThat(StartConfiguration.isDemoWithTls(new MockEnvironment())).isFalse();
  }

  @Test
  void anotherValueIsRejected() {
    environment.setActiveProfiles("demo");
    environment.setProperty("demo.tls", "yes");

    ConfigurationFault fault = fault();
    assertThat(fault.key()).isEqualTo("demo.tls");
    assertThat(fault.value()).isEqualTo("yes");
    assertThat(fault.reason()).isEqualTo("must be true or false");
  }

  @Test
  void itNeedsTheProfile() {
    environment.setProperty("demo.tls", "");

    ConfigurationFault fault = fault();
    assertThat(fault.reason()).isEqualTo("only the profile demo has it, and it is not active");
    assertThat(fault.fix()).contains("--spring.profiles.active=demo");
  }

  private ConfigurationFault fault() {
    environment.setProperty("penstock.transpond.local.resource", "redis://h:1");
    return catchThrowableOfType(
            InvalidConfigurationException.class, () -> StartConfiguration.read(environment))
        .fault();
  }
}
