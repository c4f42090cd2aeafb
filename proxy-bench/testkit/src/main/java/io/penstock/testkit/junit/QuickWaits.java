package io.penstock.testkit.junit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Awaitility poll at once and then every few milliseconds. Its default first poll is after
 * 100 ms, which is longer than most waits of these tests.
 */
public final class QuickWaits implements BeforeAllCallback {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(POLL_INTERVAL);
  }
}
