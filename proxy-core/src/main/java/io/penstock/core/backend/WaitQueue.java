package io.penstock.core.backend;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Exchanges that wait for their connection to come up, in the order they came. */
final class WaitQueue {

  /**
   * @param asking whether {@code ASKING} goes first
   */
  record Waiting(Exchange exchange, boolean asking) {

    /** What a redirect sent here asks again sooner who serves its slot. */
    long until() {
      return asking ? exchange.deadline() : exchange.holdDeadline();
    }
  }

  private final ArrayDeque<Waiting> line = new ArrayDeque<>();
  private final Consumer<Exchange> left;

  /**
   * @param left told of each exchange that does not wait here any more, before that itself is
   */
  WaitQueue(Consumer<Exchange> left) {
    this.left = left;
  }

  int size() {
    return line.size();
  }

  void add(Exchange exchange, boolean asking) {
    line.add(new Waiting(exchange, asking));
  }

  /** Removes one exchange; false when it is not there. */
  boolean remove(Exchange exchange) {
    boolean there = line.removeIf(waiting -> waiting.exchange() == exchange);
    if (there) {
      left.accept(exchange);
    }
    return there;
  }

  /** Removes and answers the first in line, which there must be. */
  Waiting removeFirst() {
    Waiting first = line.removeFirst();
    left.accept(first.exchange());
    return first;
  }

  /** Removes those that {@code which} accepts and that no redirect sent here, in order. */
  void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    for (Iterator<Waiting> it = line.iterator(); it.hasNext(); ) {
      Waiting next = it.next();
      if (!next.asking() && which.test(next.exchange())) {
        it.remove();
        left.accept(next.exchange());
        into.add(next.exchange());
      }
    }
  }

  /**
   * Fails those that could not be sent for too long. Collects before it calls back: a callback may
   * send, and so add.
   *
   * @return whether there were any
   */
  boolean expire(long now) {
    List<Exchange> expired = new ArrayList<>();
    for (Iterator<Waiting> it = line.iterator(); it.hasNext(); ) {
      Waiting next = it.next();
      Exchange exchange = next.exchange();
      if (next.until() - now <= 0) {
        it.remove();
        left.accept(exchange);
        expired.add(exchange);
      }
    }
    expired.forEach(exchange -> exchange.fail(Failure.NOT_SENT));
    return !expired.isEmpty();
  }

  /** Fails everything, which {@code failing} is told of before. */
  void close(Consumer<Exchange> failing) {
    line.forEach(waiting -> failing.accept(waiting.exchange()));
    close();
  }

  /** Fails everything. */
  void close() {
    Waiting next = line.poll();
    while (next != null) {
      left.accept(next.exchange());
      next.exchange().fail(Failure.NOT_SENT);
      next = line.poll();
    }
  }
}
