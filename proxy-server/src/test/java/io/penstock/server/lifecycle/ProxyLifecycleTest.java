package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.ProxySettings.Listener;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.server.config.PropertiesReader;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.StandardEnvironment;

/** {@code StartAndStopIT} covers an address that cannot be bound. */
class ProxyLifecycleTest {

  @Test
  void aFailureAfterTheBindIsNotReportedAsOneOfThePort() {
    var listen =
        new Listen(
            new ListenAddress("127.0.0.1", 6380),
            1,
            null,
            Duration.ZERO,
            1,
            AcceptSettings.DEFAULTS,
            ClientLimits.DEFAULTS);
    var cause = new OutOfMemoryError("unable to create native thread");

    RuntimeException failure =
        ProxyLifecycle.failedStart(
            cause,
            List.of(Listener.ofDefault(listen, null)),
            new PropertiesReader(new StandardEnvironment()));

    assertThat(failure)
        .isNotInstanceOf(ListenException.class)
        .hasMessage(
            "Penstock could not start: java.lang.OutOfMemoryError: unable to create native thread")
        .hasCause(cause);
  }
}
