package io.penstock.core.topology;

import io.penstock.core.cluster.RefreshTrigger;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * When to refresh. One refresh runs at a time.
 *
 * <ul>
 *   <li>Periodically: a period after the last one, whatever triggered it; earlier, by the back-off,
 *       while the map is unsettled.
 *   <li>Adaptively: at once, but two adaptive ones begin at least {@code adaptiveTimeout} apart.
 *       Triggers that come in between, or while a refresh runs, are not lost: together they lead to
 *       one more, as soon as it may begin. A refresh of any kind that begins after a trigger serves
 *       it.
 *   <li>After a failure: by the back-off, and nothing else until one has worked.
 * </ul>
 *
 * <p>{@link #request} may be called from any thread; all else is confined to the topology thread.
 */
final class RefreshSchedule {

  private final TopologyThread thread;
  private final Duration period;
  private final long adaptiveNanos;
  private final Backoff backoff;
  private final Consumer<RefreshTrigger> refresh;

  private final AtomicReference<@Nullable RefreshTrigger> pending = new AtomicReference<>();
  private RefreshTrigger running = RefreshTrigger.STARTUP;
  private boolean busy = true; // until start
  private boolean stopped;
  private boolean trailingArmed;
  private boolean adaptiveBegan;
  private long lastAdaptive;
  private boolean failing;
  private int tries;
  private int timer;

  /**
   * @param refresh begins a refresh; {@link #ended} is to be called when it has ended
   */
  RefreshSchedule(
      TopologyThread thread,
      Duration period,
      Duration adaptiveTimeout,
      Backoff backoff,
      Consumer<RefreshTrigger> refresh) {
    if (period.isNegative() || period.isZero()) {
      throw new IllegalArgumentException("refresh period must be positive: " + period);
    }
    this.thread = thread;
    this.period = period;
    this.adaptiveNanos = adaptiveTimeout.toNanos();
    this.backoff = backoff;
    this.refresh = refresh;
  }

  void start() {
    begin(RefreshTrigger.STARTUP);
  }

  /** Any thread; one volatile read when a trigger is waiting already. */
  void request(RefreshTrigger trigger) {
    if (pending.get() == null && pending.compareAndSet(null, trigger)) {
      thread.execute(this::servePending);
    }
  }

  void stop() {
    stopped = true;
  }

  /** How a refresh ended. */
  enum End {
    /** Every slot has an owner, by a view that counts. */
    SETTLED,
    /** There is a map, but slots have no owner or only a minority was heard. */
    UNSETTLED,
    /** Nobody gave a usable view. */
    FAILED
  }

  void ended(End end) {
    busy = false;
    failing = end == End.FAILED;
    tries = end == End.SETTLED ? 0 : tries + 1;
    switch (end) {
      case SETTLED -> arm(period, RefreshTrigger.PERIODIC);
      case UNSETTLED -> arm(backoff.after(tries), RefreshTrigger.PERIODIC);
      case FAILED -> arm(backoff.after(tries), running);
    }
    servePending();
  }

  private void servePending() {
    RefreshTrigger trigger = pending.get();
    if (stopped || busy || failing || trigger == null) {
      return; // looked at again when the running refresh, or the next try, has ended
    }
    long wait = adaptiveBegan ? lastAdaptive + adaptiveNanos - thread.nanoTime() : 0;
    if (wait <= 0) {
      adaptiveBegan = true;
      lastAdaptive = thread.nanoTime();
      begin(trigger);
    } else if (!trailingArmed) {
      trailingArmed = true;
      thread.after(Duration.ofNanos(wait), this::trail);
    }
  }

  private void trail() {
    trailingArmed = false;
    servePending();
  }

  private void begin(RefreshTrigger trigger) {
    busy = true;
    running = trigger;
    timer++;
    pending.set(null);
    refresh.accept(trigger);
  }

  /** The timer that was armed last counts. */
  private void arm(Duration delay, RefreshTrigger trigger) {
    int armed = ++timer;
    thread.after(
        delay,
        () -> {
          if (!stopped && !busy && timer == armed) {
            begin(trigger);
          }
        });
  }
}
