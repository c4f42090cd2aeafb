package io.penstock.server.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class FailedStartTest {

  @Test
  void withoutAResourceShowsTheLinesToWriteAndTheDemo(CapturedOutput output) {
    fail();

    assertThat(output)
        .contains(
            """
                penstock:
                  transpond:
                    local:
                      resource: redis-cluster://127.0.0.1:7000,127.0.0.1:7001
            """)
        .contains("--spring.profiles.active=demo")
        .as("the message comes first: no bean was created that could fail")
        .doesNotContain("BeanCreationException")
        .doesNotContain("cancelling refresh");
  }

  @Test
  void withAnUnknownKeyNamesTheRightOne(CapturedOutput output) {
    fail("--penstock.backend.comand-timeout=1s");

    assertThat(output)
        .contains("Key:    penstock.backend.comand-timeout")
        .contains("From:   \"penstock.backend.comand-timeout\" from property source")
        .contains("Reason: there is no such key")
        .contains("Fix:    write penstock.backend.command-timeout, or remove it");
  }

  @Test
  void withAWrongWordShowsTheValidOnes(CapturedOutput output) {
    fail("--penstock.dispatch=fast");

    assertThat(output)
        .contains("Property: penstock.dispatch")
        .contains("Value: \"fast\"")
        .contains("Origin: \"penstock.dispatch\" from property source")
        .containsSubsequence("The following values are valid:", "ASYNC", "SYNC");
  }

  @Test
  void withABadUrlShowsEverythingButThePassword(CapturedOutput output) {
    fail("--penstock.transpond.local.resource=redis-cluster://bob:s3cret@h1,h2:2");

    assertThat(output)
        .contains("Key:    penstock.transpond.local.resource")
        .contains("Value:  redis-cluster://***@h1,h2:2")
        .contains("Reason: h1 has no port")
        .doesNotContain("s3cret");
  }

  @Test
  void withAnUnresolvedPlaceholderNamesKeyAndPlaceholder(CapturedOutput output) {
    fail("--penstock.password=${NO_SUCH_VARIABLE}");

    assertThat(output)
        .contains("Key:    penstock.password")
        .contains("Reason: ${NO_SUCH_VARIABLE} is not set")
        .contains("Fix:    set NO_SUCH_VARIABLE, or write a default");
  }

  private static void fail(String... arguments) {
    assertThatThrownBy(() ->
            new SpringApplicationBuilder(FailedStartTest.class)
                .web(WebApplicationType.NONE)
                .run(arguments)
                .close())
        .isNotNull();
  }
}
