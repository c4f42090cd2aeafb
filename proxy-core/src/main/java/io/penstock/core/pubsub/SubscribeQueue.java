package io.penstock.core.pubsub;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Subscribe and unsubscribe commands for one node, in order. Only a few are in flight at a time, so
 * that a node is never sent more than it can take, and answers other requests in between. Confined
 * to its loop.
 */
final class SubscribeQueue {

  /** Commands in flight at most. */
  private static final int MAX_IN_FLIGHT = 32;

  private final int maxNames;
  private final ArrayDeque<SubscribeExchange> inFlight = new ArrayDeque<>();
  private final ArrayDeque<SubscribeExchange> waiting = new ArrayDeque<>();
  private int names; // of the commands in flight
  private boolean sending;

  /**
   * @param maxNames the commands in flight have at most so many names together
   */
  SubscribeQueue(int maxNames) {
    this.maxNames = maxNames;
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
    while (mayBeSent(waiting.peek())) {
      SubscribeExchange next = waiting.remove();
      if (next.topics().isEmpty()) {
        next.end();
      } else {
        inFlight.add(next);
        names += next.topics().size();
        next.send();
      }
    }
    sending = false;
  }

  private boolean mayBeSent(@Nullable SubscribeExchange next) {
    return next != null
        && next.connection().isReady()
        && inFlight.size() < MAX_IN_FLIGHT
        && (inFlight.isEmpty() || names + next.topics().size() <= maxNames);
  }

  /** Removes a completed command and sends the next ones. */
  void remove(SubscribeExchange exchange) {
    if (inFlight.remove(exchange)) {
      names -= exchange.topics().size();
    }
    sendSome();
  }

  /** The commands in flight on a connection. */
  List<SubscribeExchange> inFlight(FeedConnection connection) {
    return inFlight.stream().filter(each -> each.connection() == connection).toList();
  }

  /**
   * Removes the commands for a connection that have not been sent, and returns them: it is closed.
   */
  List<SubscribeExchange> removeUnsent(FeedConnection connection) {
    List<SubscribeExchange> unsent = new ArrayList<>();
    Deque<SubscribeExchange> others = new ArrayDeque<>();
    waiting.forEach(each -> (each.connection() == connection ? unsent : others).add(each));
    waiting.clear();
    waiting.addAll(others);
    sendSome();
    return unsent;
  }
}
