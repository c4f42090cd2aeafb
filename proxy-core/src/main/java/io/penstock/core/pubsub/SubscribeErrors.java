package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Classifies error replies to {@code SUBSCRIBE} and similar commands. */
final class SubscribeErrors {

  private static final String CLUSTER_DOWN = "-CLUSTERDOWN ";

  /** From Valkey 8.0.0 and 8.0.1, to a client that has no subscription left. */
  private static final String NO_SUBSCRIPTION = "-NOSUB ";

  private static final List<String> TRANSIENT =
      List.of("-MOVED ", "-ASK ", "-TRYAGAIN ", CLUSTER_DOWN, "-LOADING ", "-MASTERDOWN ");

  static final long SHORT_DELAY = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONG_DELAY = TimeUnit.SECONDS.toNanos(1);

  private SubscribeErrors() {}

  /** Whether the error is temporary. */
  static boolean isTransient(byte[] error) {
    String line = new String(error, StandardCharsets.ISO_8859_1);
    return TRANSIENT.stream().anyMatch(line::startsWith);
  }

  /**
   * Whether an error belongs to none of the exchanges in flight: it is about a slot or about a
   * missing subscription, and no exchange in flight can cause such an error. The exchange that
   * caused it has been confirmed already. Borrows the buffer.
   */
  static boolean isStale(ByteBuf buffer, int from, int to, Iterable<SubscribeExchange> exchanges) {
    if (startsWith(NO_SUBSCRIPTION, buffer, from, to)) {
      return haveNoUnsubscribe(exchanges);
    }
    Redirect redirect = Redirect.parse(buffer, from, to - from);
    if (redirect == null && !startsWith(CLUSTER_DOWN, buffer, from, to)) {
      return false;
    }
    for (SubscribeExchange exchange : exchanges) {
      if (exchange.dependsOnSlot(redirect)) {
        return false;
      }
    }
    return true;
  }

  private static boolean haveNoUnsubscribe(Iterable<SubscribeExchange> exchanges) {
    for (SubscribeExchange exchange : exchanges) {
      if (!exchange.isSubscribing()) {
        return false;
      }
    }
    return true;
  }

  private static boolean startsWith(String word, ByteBuf buffer, int from, int to) {
    int length = Math.min(to - from, word.length());
    return buffer.toString(from, length, StandardCharsets.ISO_8859_1).equals(word);
  }

  /** Nanoseconds to wait before subscribing again. */
  static long retryDelay(byte[] error) {
    return isTransient(error) ? SHORT_DELAY : LONG_DELAY;
  }
}
