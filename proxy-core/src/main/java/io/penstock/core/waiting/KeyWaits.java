package io.penstock.core.waiting;

import io.penstock.core.client.Nodes;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transport.Loop;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The keys that the clients of one loop wait for, and what asks their nodes for them: each key once
 * per interval, however many clients wait for it. Nothing runs while nobody waits. Confined to the
 * loop.
 */
public final class KeyWaits {

  /** At most 20,000 keys are asked for per second: with many, the interval is longer. */
  private static final long NANOS_PER_KEY = TimeUnit.MICROSECONDS.toNanos(50);

  private final Loop loop;
  private final Nodes nodes;
  private final RetryableErrors retryableErrors;
  private final long intervalNanos;
  private final Map<WaitedKey, KeyQueue> queues = new LinkedHashMap<>();
  private boolean scheduled;

  /**
   * @param interval between two questions for a key
   */
  public KeyWaits(Loop loop, Nodes nodes, RetryableErrors retryableErrors, Duration interval) {
    this.loop = loop;
    this.nodes = nodes;
    this.retryableErrors = retryableErrors;
    this.intervalNanos = interval.toNanos();
  }

  Loop loop() {
    return loop;
  }

  Nodes nodes() {
    return nodes;
  }

  RetryableErrors retryableErrors() {
    return retryableErrors;
  }

  /** Returns whether another call has waited for the key for longer. */
  boolean isBehindOthers(WaitingCall call, WaitedKey key) {
    KeyQueue queue = queues.get(key);
    return queue != null && queue.first() != call;
  }

  /** Adds a call: it is woken when one of its keys seems to be there. */
  void join(WaitingCall call) {
    for (WaitedKey key : call.keys()) {
      queues.computeIfAbsent(key, which -> new KeyQueue(this, which)).add(call);
    }
    schedule();
  }

  /** A call that was woken found nothing, and goes on waiting in its place. */
  void resume(WaitingCall call) {
    for (WaitedKey key : call.keys()) {
      KeyQueue queue = queues.get(key);
      if (queue != null) {
        queue.onReturned(call, false);
      }
    }
  }

  /**
   * Removes a call.
   *
   * @param took whether it took something, so that the next one may find more
   */
  void leave(WaitingCall call, boolean took) {
    List<WaitedKey> keys = call.keys();
    for (WaitedKey key : keys) {
      KeyQueue queue = queues.get(key);
      if (queue != null && queue.remove(call)) {
        queues.remove(key);
      }
    }
    for (WaitedKey key : keys) {
      KeyQueue queue = queues.get(key);
      if (queue != null) {
        queue.onReturned(call, took);
      }
    }
  }

  private void schedule() {
    if (!scheduled && !queues.isEmpty()) {
      scheduled = true;
      long nanos = Math.max(intervalNanos, queues.size() * NANOS_PER_KEY);
      loop.executor().schedule(this::ask, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void ask() {
    scheduled = false;
    try {
      loop.tick();
      List.copyOf(queues.values()).forEach(KeyQueue::ask);
    } finally {
      schedule();
    }
  }
}
