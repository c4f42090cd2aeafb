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
final class Orders {

  /** At most so many, of {@link Batches#MOST} names each. */
  private static final int MOST_IN_FLIGHT = 32;

  private final SubscriberConnection connection;
  private final ArrayDeque<Order> inFlight = new ArrayDeque<>();
  private final ArrayDeque<Order> waiting = new ArrayDeque<>();
  private boolean sending;

  Orders(SubscriberConnection connection) {
    this.connection = connection;
  }

  boolean isEmpty() {
    return inFlight.isEmpty() && waiting.isEmpty();
  }

  /** Sends it now, or when its turn has come. */
  void add(Order order) {
    waiting.add(order);
    sendSome();
  }

  private void sendSome() {
    if (sending) {
      return; // one has failed at once
    }
    sending = true;
    while (!waiting.isEmpty() && inFlight.size() < MOST_IN_FLIGHT && connection.isReady()) {
      Order next = waiting.remove();
      inFlight.add(next);
      next.prepare();
      connection.send(next);
    }
    sending = false;
  }

  /** The oldest on its way. */
  @Nullable Order oldest() {
    return inFlight.peek();
  }

  /** The order has ended: there is room for another. */
  void ended(Order order) {
    inFlight.remove(order);
    sendSome();
  }

  /** The connection is lost: removes and answers those that have not been sent. */
  List<Order> withdraw() {
    List<Order> unsent = new ArrayList<>(waiting);
    waiting.clear();
    return unsent;
  }

  /** Whether a node refuses, because of a slot, none of those in flight. Borrows the buffer. */
  boolean isLate(ByteBuf buffer, int from, int to) {
    return Refusals.isLate(buffer, from, to, inFlight);
  }
}
