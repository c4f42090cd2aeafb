package io.penstock.core.topology;

import io.penstock.core.control.TopologyThread;
import io.penstock.core.transport.Backoff;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 *   <li>For an urgent trigger, however it stands: {@link #URGENT_NANOS} after the last one.
 * </ul>
 *
 * <p>{@link #request} may be called from any thread; all else is confined to the topology thread.
 */
final class RefreshSchedule {

  private static final Logger LOG = LoggerFactory.getLogger(RefreshSchedule.class);

  /** Clients wait for it: so soon after the last one, whatever triggered it, comes the next. */
  private static final long URGENT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

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
  private long trailAt; // if so
  private boolean adaptiveBegan;
  private long lastBegan;
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
    RefreshTrigger waiting = pending.get();
    boolean first = waiting == null || (trigger.isUrgent() && !waiting.isUrgent());
    if (first && pending.compareAndSet(waiting, trigger)) {
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
    /**
     * There is a map, but slots have no owner, only a minority was heard, or it speaks against a
     * fresh redirect.
     */
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
      case UNSETTLED -> arm(backoff.delayAfter(tries), RefreshTrigger.PERIODIC);
      case FAILED -> arm(backoff.delayAfter(tries), running);
    }
    servePending();
  }

  private void servePending() {
    RefreshTrigger trigger = pending.get();
    boolean urgent = trigger != null && trigger.isUrgent();
    if (stopped || busy || (failing && !urgent) || trigger == null) {
      return; // looked at again when the running refresh, or the next try, has ended
    }
    long now = thread.nanoTime();
    long earliest = adaptiveBegan ? lastAdaptive + adaptiveNanos : now;
    if (urgent) {
      earliest = lastBegan + URGENT_NANOS;
    }
    if (earliest - now <= 0) {
      adaptiveBegan |= !urgent;
      lastAdaptive = urgent ? lastAdaptive : now;
      begin(trigger);
    } else if (!trailingArmed || earliest - trailAt < 0) {
      trailingArmed = true;
      trailAt = earliest;
      long at = earliest;
      thread.runAfter(Duration.ofNanos(earliest - now), () -> trail(at));
    }
  }

  private void trail(long at) {
    if (at == trailAt) {
      trailingArmed = false;
    }
    servePending();
  }

  private void begin(RefreshTrigger trigger) {
    busy = true;
    running = trigger;
    lastBegan = thread.nanoTime();
    timer++;
    pending.set(null);
    try {
      refresh.accept(trigger);
    } catch (Throwable e) { // else none would ever begin again
      ended(End.FAILED);
      LOG.error("A refresh of the topology could not begin; it will be tried again", e);
    }
  }

  /** The timer that was armed last counts. */
  private void arm(Duration delay, RefreshTrigger trigger) {
    int armed = ++timer;
    thread.runAfter(
        delay,
        () -> {
          if (!stopped && !busy && timer == armed) {
            begin(trigger);
          }
        });
  }
}
