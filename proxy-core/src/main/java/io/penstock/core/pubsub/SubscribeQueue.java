package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.SubscriberConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The subscribe and unsubscribe commands for one node, in order. Only a few are in flight at a
 * time, so that a node is never sent more than it can take. Confined to its loop.
 */
final class SubscribeQueue {

  /** Commands in flight at most, with up to {@link Batches#MAX_NAMES} names each. */
  private static final int MAX_IN_FLIGHT = 32;

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

  /** Sends the command now, or when earlier ones are confirmed. */
  void add(SubscribeExchange exchange) {
    waiting.add(exchange);
    sendSome();
  }

  private void sendSome() {
    if (sending) {
      return; // called from a command that failed at once
    }
    sending = true;
    while (!waiting.isEmpty() && inFlight.size() < MAX_IN_FLIGHT && connection.isReady()) {
      SubscribeExchange next = waiting.remove();
      inFlight.add(next);
      next.prepare();
      connection.send(next);
    }
    sending = false;
  }

  /** Removes a completed command and sends the next ones. */
  void remove(SubscribeExchange exchange) {
    inFlight.remove(exchange);
    sendSome();
  }

  /** Removes the commands that have not been sent, and returns them: the connection is closed. */
  List<SubscribeExchange> removeUnsent() {
    List<SubscribeExchange> unsent = new ArrayList<>(waiting);
    waiting.clear();
    return unsent;
  }

  /**
   * Whether an error belongs to none of the commands in flight; see {@link
   * SubscribeErrors#isStale}. Borrows the buffer.
   *
   * @param oldest in flight on the connection: one of these commands, another one, or null
   */
  boolean isStaleError(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
    boolean mayBeNext = oldest instanceof SubscribeExchange;
    return SubscribeErrors.isStale(buffer, from, to, mayBeNext ? inFlight : List.of());
  }
}
