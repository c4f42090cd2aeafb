package io.penstock.server.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.core.assembly.ProxySettings.Dispatch;
import java.util.Locale;

/**
 * The dispatch mode of this run of the integration tests. {@code ./mvnw verify} runs all of them
 * with {@code async}, {@code ./mvnw -Pthorough verify} those without the tag {@link #ANY} with
 * {@code sync}. The application reads the same property itself.
 */
public final class DispatchMode {

  /** The tag of tests that are the same in each mode: {@code -Pthorough} leaves them out. */
  public static final String ANY = "any-dispatch";

  private static final String PROPERTY = "penstock.dispatch";

  private DispatchMode() {}

  public static Dispatch dispatch() {
    String mode = System.getProperty(PROPERTY, "async").toLowerCase(Locale.ROOT);
    return switch (mode) {
      case "async" -> new Dispatch.Async();
      case "sync" -> new Dispatch.Sync(256);
      default ->
          throw new IllegalArgumentException(PROPERTY + " is neither async nor sync: " + mode);
    };
  }

  /** Skips a test of shared connections in {@code dispatch: sync}. */
  public static void assumeSharedConnections() {
    assumeTrue(
        dispatch() instanceof Dispatch.Async, "with dispatch: sync clients share no connections");
  }
}
