package io.penstock.core.backend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/** Exchanges that wait for their connection to come up, in the order they came. */
final class WaitingLine {

  /**
   * @param asking whether {@code ASKING} goes first
   */
  record Waiting(Exchange exchange, boolean asking) {}

  private final ArrayDeque<Waiting> line = new ArrayDeque<>();

  int size() {
    return line.size();
  }

  void add(Exchange exchange, boolean asking) {
    line.add(new Waiting(exchange, asking));
  }

  /** Removes one exchange; false when it is not there. */
  boolean remove(Exchange exchange) {
    return line.removeIf(waiting -> waiting.exchange() == exchange);
  }

  /** Removes and answers the first in line, which there must be. */
  Waiting first() {
    return line.removeFirst();
  }

  /** Removes those that {@code which} accepts and that no redirect sent here, in order. */
  void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    for (Iterator<Waiting> it = line.iterator(); it.hasNext(); ) {
      Waiting next = it.next();
      if (!next.asking() && which.test(next.exchange())) {
        it.remove();
        into.add(next.exchange());
      }
    }
  }

  /**
   * Fails those past their deadline. Collects before it calls back: a callback may send, and so
   * add.
   *
   * @return whether there were any
   */
  boolean expire(long now) {
    List<Exchange> expired = new ArrayList<>();
    for (Iterator<Waiting> it = line.iterator(); it.hasNext(); ) {
      Exchange exchange = it.next().exchange();
      if (exchange.deadline() - now <= 0) {
        it.remove();
        expired.add(exchange);
      }
    }
    expired.forEach(exchange -> exchange.fail(Failure.NOT_SENT));
    return !expired.isEmpty();
  }

  /** Fails everything. */
  void close() {
    Waiting next = line.poll();
    while (next != null) {
      next.exchange().fail(Failure.NOT_SENT);
      next = line.poll();
    }
  }
}
