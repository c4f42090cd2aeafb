package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exchanges that wait for their connection to be ready, in order. */
public final class WaitQueue {

  /**
   * A waiting exchange.
   *
   * @param asking whether to send {@code ASKING} first
   */
  public record Waiting(Exchange exchange, boolean asking) {

    /**
     * When it expires. A redirected exchange expires sooner, to query again which node serves its
     * slot.
     */
    long expiry() {
      return asking ? exchange.deadline() : exchange.holdDeadline();
    }
  }

  private static final Logger log = LoggerFactory.getLogger(WaitQueue.class);

  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private final Consumer<Exchange> onRemoved;
  private final boolean holds;

  /**
   * @param onRemoved called for each removed exchange, before the exchange's own callback
   * @param holds whether exchanges wait in the failover hold, and not only until their deadline
   */
  public WaitQueue(Consumer<Exchange> onRemoved, boolean holds) {
    this.onRemoved = onRemoved;
    this.holds = holds;
  }

  public int size() {
    return queue.size();
  }

  public void add(Exchange exchange, boolean asking) {
    if (!holds) {
      exchange.endHoldAtDeadline();
    }
    queue.add(new Waiting(exchange, asking));
  }

  /** Removes one exchange; returns false if it is not in the queue. */
  public boolean remove(Exchange exchange) {
    boolean removed = queue.removeIf(waiting -> waiting.exchange() == exchange);
    if (removed) {
      onRemoved.accept(exchange);
    }
    return removed;
  }

  /** Removes and returns the first; the queue must not be empty. */
  public Waiting removeFirst() {
    Waiting first = queue.removeFirst();
    onRemoved.accept(first.exchange());
    return first;
  }

  /** Removes, in order, those that {@code which} accepts and that were not redirected here. */
  public void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    for (Iterator<Waiting> it = queue.iterator(); it.hasNext(); ) {
      Waiting next = it.next();
      if (!next.asking() && which.test(next.exchange())) {
        it.remove();
        onRemoved.accept(next.exchange());
        into.add(next.exchange());
      }
    }
  }

  /**
   * Fails expired exchanges. They are collected before the callbacks, since a callback may add
   * others.
   *
   * @return whether any expired
   */
  public boolean expire(long now) {
    List<Exchange> expired = new ArrayList<>();
    for (Iterator<Waiting> it = queue.iterator(); it.hasNext(); ) {
      Waiting next = it.next();
      Exchange exchange = next.exchange();
      if (next.expiry() - now <= 0) {
        it.remove();
        onRemoved.accept(exchange);
        expired.add(exchange);
      }
    }
    expired.forEach(exchange -> exchange.fail(Failure.NOT_SENT));
    return !expired.isEmpty();
  }

  /**
   * Answers those that wait now with an error reply of the node. Callbacks may add others, which
   * wait on.
   *
   * @param error the node's text, without {@code -}
   */
  public void answer(String error) {
    ByteBuf reply = Unpooled.copiedBuffer("-" + error + "\r\n", StandardCharsets.UTF_8);
    List<Exchange> answered = new ArrayList<>(queue.size());
    while (!queue.isEmpty()) {
      answered.add(removeFirst().exchange());
    }
    for (Exchange exchange : answered) {
      try {
        exchange.onReply(reply, 0, reply.writerIndex());
      } catch (Throwable e) { // the others must be answered, too
        if (!exchange.recoverFrom(e)) {
          log.error("An error of a handshake could not be handled", e);
        }
      }
    }
  }

  /** Calls {@code failing} for each exchange, then fails all. */
  public void close(Consumer<Exchange> failing) {
    queue.forEach(waiting -> failing.accept(waiting.exchange()));
    close();
  }

  /** Fails all exchanges. */
  public void close() {
    Waiting next = queue.poll();
    while (next != null) {
      onRemoved.accept(next.exchange());
      next.exchange().fail(Failure.NOT_SENT);
      next = queue.poll();
    }
  }
}
