package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.config.PropertiesReader;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.StandardEnvironment;

/** {@code StartAndStopIT} covers an address that cannot be bound. */
class ProxyLifecycleTest {

  @Test
  void aFailureAfterTheBindIsNotReportedAsOneOfThePort() {
    var cause = new OutOfMemoryError("unable to create native thread");

    RuntimeException failure =
        ProxyLifecycle.failedStart(cause, new PropertiesReader(new StandardEnvironment()));

    assertThat(failure)
        .isNotInstanceOf(ListenException.class)
        .hasMessage(
            "Penstock could not start: java.lang.OutOfMemoryError: unable to create native thread")
        .hasCause(cause);
  }
}
