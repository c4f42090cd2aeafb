package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.server.config.PropertiesReader;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.StandardEnvironment;

/** That an address which cannot be bound is told as one, {@code StartAndStopIT} sees. */
class ProxyLifecycleTest {

  @Test
  void whatFailsBehindTheBindIsNoMatterOfThePort() {
    var listen =
        new Listen("127.0.0.1", 6380, 1, null, 1, AcceptSettings.DEFAULTS, ClientLimits.DEFAULTS);
    var cause = new OutOfMemoryError("unable to create native thread");

    RuntimeException told =
        ProxyLifecycle.failedStart(cause, listen, new PropertiesReader(new StandardEnvironment()));

    assertThat(told)
        .isNotInstanceOf(ListenException.class)
        .hasMessage(
            "Penstock could not start: java.lang.OutOfMemoryError: unable to create native thread")
        .hasCause(cause);
  }
}
