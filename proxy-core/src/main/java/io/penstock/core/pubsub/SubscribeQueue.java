package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.SubscriberConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one node is told to subscribe to and to unsubscribe from, in order. A few commands are on
 * their way at a time, so that a node is never sent more than it takes. Confined to its loop.
 */
final class SubscribeQueue {

  /** At most so many, of {@link Batches#MAX_NAMES} names each. */
  private static final int MOST_IN_FLIGHT = 32;

  private final SubscriberConnection connection;
  private final ArrayDeque<SubscribeExchange> inFlight = new ArrayDeque<>();
  private final ArrayDeque<SubscribeExchange> waiting = new ArrayDeque<>();
  private boolean sending;

  SubscribeQueue(SubscriberConnection connection) {
    this.connection = connection;
  }

  boolean isEmpty() {
    return inFlight.isEmpty() && waiting.isEmpty();
  }

  /** Sends it now, or when its turn has come. */
  void add(SubscribeExchange order) {
    waiting.add(order);
    sendSome();
  }

  private void sendSome() {
    if (sending) {
      return; // one has failed at once
    }
    sending = true;
    while (!waiting.isEmpty() && inFlight.size() < MOST_IN_FLIGHT && connection.isReady()) {
      SubscribeExchange next = waiting.remove();
      inFlight.add(next);
      next.prepare();
      connection.send(next);
    }
    sending = false;
  }

  /** The oldest on its way. */
  @Nullable SubscribeExchange oldest() {
    return inFlight.peek();
  }

  /** The order has ended: there is room for another. */
  void remove(SubscribeExchange order) {
    inFlight.remove(order);
    sendSome();
  }

  /** The connection is lost: removes and answers those that have not been sent. */
  List<SubscribeExchange> removeUnsent() {
    List<SubscribeExchange> unsent = new ArrayList<>(waiting);
    waiting.clear();
    return unsent;
  }

  /** Whether a node refuses, because of a slot, none of those in flight. Borrows the buffer. */
  boolean isStaleError(ByteBuf buffer, int from, int to) {
    return SubscribeErrors.isStale(buffer, from, to, inFlight);
  }
}
