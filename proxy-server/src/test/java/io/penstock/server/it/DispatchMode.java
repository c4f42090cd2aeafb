package io.penstock.server.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.core.ProxySettings.Dispatch;
import java.util.Locale;

/**
 * The way of working that this run of the integration tests is about. A build runs them all once
 * for each; the application reads the same property by itself.
 */
public final class DispatchMode {

  private static final String PROPERTY = "penstock.dispatch";

  private DispatchMode() {}

  public static Dispatch dispatch() {
    String way = System.getProperty(PROPERTY, "async").toLowerCase(Locale.ROOT);
    return switch (way) {
      case "async" -> new Dispatch.Async();
      case "sync" -> new Dispatch.Sync(256);
      default ->
          throw new IllegalArgumentException(PROPERTY + " is neither async nor sync: " + way);
    };
  }

  /** Skips a test that is about connections that clients share. */
  public static void assumeSharedConnections() {
    assumeTrue(
        dispatch() instanceof Dispatch.Async, "with dispatch: sync clients share no connections");
  }
}
