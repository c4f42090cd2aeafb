package io.penstock.core.pubsub;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What an error reply to {@code SUBSCRIBE} and its like asks for. */
final class Refusals {

  private static final List<String> PASSING =
      List.of("-MOVED ", "-ASK ", "-TRYAGAIN ", "-CLUSTERDOWN ", "-LOADING ", "-MASTERDOWN ");

  private static final long SHORT_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONG_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private Refusals() {}

  /** Whether it will pass by itself. */
  static boolean isPassing(byte[] error) {
    String line = new String(error, StandardCharsets.ISO_8859_1);
    return PASSING.stream().anyMatch(line::startsWith);
  }

  /** Nanoseconds to wait before the node is asked again. */
  static long pause(byte[] error) {
    return isPassing(error) ? SHORT_PAUSE : LONG_PAUSE;
  }
}
