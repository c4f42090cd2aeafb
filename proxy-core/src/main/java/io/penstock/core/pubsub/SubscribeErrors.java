package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What an error reply to {@code SUBSCRIBE} and its like asks for. */
final class SubscribeErrors {

  private static final String UNSERVED = "-CLUSTERDOWN ";

  /** Of Valkey 8.0.0 and 8.0.1, to whoever has no subscription any more. */
  private static final String NOTHING_TO_LEAVE = "-NOSUB ";

  private static final List<String> PASSING =
      List.of("-MOVED ", "-ASK ", "-TRYAGAIN ", UNSERVED, "-LOADING ", "-MASTERDOWN ");

  static final long SHORT_DELAY = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONG_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private SubscribeErrors() {}

  /** Whether it will pass by itself. */
  static boolean isTransient(byte[] error) {
    String line = new String(error, StandardCharsets.ISO_8859_1);
    return PASSING.stream().anyMatch(line::startsWith);
  }

  /**
   * Whether a node refuses, because of a slot or since there is nothing to end, none of the orders
   * in flight: what it refuses has been confirmed. Borrows the buffer.
   */
  static boolean isStale(ByteBuf buffer, int from, int to, Iterable<SubscribeExchange> orders) {
    if (startsWith(NOTHING_TO_LEAVE, buffer, from, to)) {
      return isNoneToLeave(orders);
    }
    Redirect redirect = Redirect.parse(buffer, from, to - from);
    if (redirect == null && !startsWith(UNSERVED, buffer, from, to)) {
      return false;
    }
    for (SubscribeExchange order : orders) {
      if (order.dependsOnSlot(redirect)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNoneToLeave(Iterable<SubscribeExchange> orders) {
    for (SubscribeExchange order : orders) {
      if (!order.isSubscribing()) {
        return false;
      }
    }
    return true;
  }

  private static boolean startsWith(String word, ByteBuf buffer, int from, int to) {
    int length = Math.min(to - from, word.length());
    return buffer.toString(from, length, StandardCharsets.ISO_8859_1).equals(word);
  }

  /** Nanoseconds to wait before the node is asked again. */
  static long retryDelay(byte[] error) {
    return isTransient(error) ? SHORT_DELAY : LONG_PAUSE;
  }
}
