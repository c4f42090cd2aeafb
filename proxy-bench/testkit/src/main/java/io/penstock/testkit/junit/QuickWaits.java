package io.penstock.testkit.junit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has Awaitility look at once, and then every few milliseconds. By default it looks for the first
 * time after 100 ms, which is most of the time of a test whose every wait is over in one.
 */
public final class QuickWaits implements BeforeAllCallback {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(POLL_INTERVAL);
  }
}
