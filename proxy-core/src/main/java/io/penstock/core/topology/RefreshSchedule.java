package io.penstock.core.topology;

import io.penstock.core.control.TopologyThread;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when to refresh. One refresh runs at a time, see {@link Phase}.
 *
 * <ul>
 *   <li>Periodic: one period after the last refresh of any kind; earlier, by the back-off, while
 *       the topology is incomplete.
 *   <li>Adaptive: at once, but two adaptive refreshes begin at least {@code minRefreshInterval}
 *       apart. Triggers that come in between, or during a refresh, are not lost: they are merged
 *       into one more refresh, which begins as soon as it may. A refresh of any kind that begins
 *       after a trigger satisfies it.
 *   <li>After a failure: by the back-off only, until a refresh has succeeded.
 *   <li>Urgent: {@link #URGENT_NANOS} after the start of the last refresh, also after failures.
 * </ul>
 *
 * <p>{@link #request} and {@link #begun} are safe from any thread. Everything else is confined to
 * the topology thread.
 */
public final class RefreshSchedule {

  /**
   * {@link #start} leads from NEW to RUNNING, {@link #ended} from there to WAITING or RETRYING, and
   * {@link #begin} back to RUNNING. {@link #stop} leads from each to STOPPED.
   */
  private enum Phase {
    NEW,
    /** A refresh runs. */
    RUNNING,
    /** The last refresh gave a topology. The next one begins by the timer or with a trigger. */
    WAITING,
    /** The last refresh failed. The next one begins by the timer or with an urgent trigger. */
    RETRYING,
    STOPPED;

    /** Returns whether a trigger may begin a refresh. */
    boolean accepts(RefreshTrigger trigger) {
      return this == WAITING || (this == RETRYING && trigger.isUrgent());
    }

    /** Returns whether the timer begins a refresh. */
    boolean acceptsTimer() {
      return this == WAITING || this == RETRYING;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(RefreshSchedule.class);

  /** Time between refreshes while clients wait for the result. */
  private static final long URGENT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final TopologyThread thread;
  private final RefreshTimes times;
  private final long minIntervalNanos;

  private final AtomicReference<@Nullable RefreshTrigger> pending = new AtomicReference<>();
  private final AtomicLong begun = new AtomicLong();
  private RefreshTrigger running = RefreshTrigger.STARTUP;
  private Phase phase = Phase.NEW;
  private Consumer<Refresh> refresh = _ -> {}; // set at the start
  private @Nullable Long delayedAt; // when a trigger begins a refresh that came too early for it
  private long lastBegan;
  private @Nullable Long lastAdaptive; // when the last adaptive refresh began
  private int tries;
  private int timer;

  public RefreshSchedule(TopologyThread thread, RefreshTimes times) {
    this.thread = thread;
    this.times = times;
    this.minIntervalNanos = times.minRefreshInterval().toNanos();
  }

  /**
   * Begins the first refresh, unless it is stopped. Topology thread.
   *
   * @param onBegin starts a refresh; it must call {@link #ended} when that has ended, unless {@link
   *     #isOver} then
   */
  public void start(Consumer<Refresh> onBegin) {
    if (phase == Phase.NEW) {
      refresh = onBegin;
      begin(RefreshTrigger.STARTUP);
    }
  }

  /** Requests a refresh. Any thread. Costs one volatile read if a trigger is pending already. */
  public void request(RefreshTrigger trigger) {
    RefreshTrigger waiting = pending.get();
    boolean first = waiting == null || (trigger.isUrgent() && !waiting.isUrgent());
    if (first && pending.compareAndSet(waiting, trigger)) {
      thread.execute(this::startPending);
    }
  }

  /** No refresh begins from now on. Topology thread. */
  public void stop() {
    phase = Phase.STOPPED;
  }

  /** Returns how many refreshes have begun. Any thread. */
  public long begun() {
    return begun.get();
  }

  /**
   * Returns whether the result of a refresh is too late: no refresh is wanted any more, or it threw
   * while it started, and the next attempt is due. Topology thread.
   */
  public boolean isOver(Refresh refresh) {
    return phase != Phase.RUNNING || refresh.number() != begun.get();
  }

  /** How a refresh ended. */
  public enum End {
    /**
     * The topology is complete: every slot has an owner, by a majority's view that no redirect
     * contradicts.
     */
    COMPLETE,
    /**
     * There is a topology, but slots have no owner, or it is by a minority's view, or it
     * contradicts a recent redirect.
     */
    INCOMPLETE,
    /** No node gave a usable view. */
    FAILED
  }

  /** Handles the end of the running refresh. Topology thread. */
  public void ended(End end) {
    if (phase == Phase.STOPPED) {
      return;
    }
    phase = end == End.FAILED ? Phase.RETRYING : Phase.WAITING;
    tries = end == End.COMPLETE ? 0 : tries + 1;
    switch (end) {
      case COMPLETE -> scheduleNext(times.period(), RefreshTrigger.PERIODIC);
      case INCOMPLETE -> scheduleNext(times.backoff().delayAfter(tries), RefreshTrigger.PERIODIC);
      case FAILED -> scheduleNext(times.backoff().delayAfter(tries), running);
    }
    startPending();
  }

  private void startPending() {
    RefreshTrigger trigger = pending.get();
    if (trigger == null || !phase.accepts(trigger)) {
      return; // served when the running refresh, or the next attempt, has ended
    }
    long now = thread.nanoTime();
    long earliest = earliest(trigger, now);
    Long scheduled = delayedAt;
    if (earliest - now <= 0) {
      lastAdaptive = trigger.isUrgent() ? lastAdaptive : Long.valueOf(now);
      begin(trigger);
    } else if (scheduled == null || earliest - scheduled < 0) {
      delayedAt = earliest;
      thread.runAfter(Duration.ofNanos(earliest - now), () -> runDelayed(earliest));
    }
  }

  /** Returns when a trigger may begin a refresh, possibly in the past. */
  private long earliest(RefreshTrigger trigger, long now) {
    if (trigger.isUrgent()) {
      return lastBegan + URGENT_NANOS;
    }
    Long last = lastAdaptive;
    return last == null ? now : last + minIntervalNanos;
  }

  private void runDelayed(long at) {
    Long scheduled = delayedAt;
    if (scheduled != null && at == scheduled) {
      delayedAt = null;
    }
    startPending();
  }

  private void begin(RefreshTrigger trigger) {
    phase = Phase.RUNNING;
    running = trigger;
    timer++;
    pending.set(null); // first: a trigger that comes later is not for this refresh
    var next = new Refresh(trigger, begun.incrementAndGet(), thread.nanoTime());
    lastBegan = next.began();
    try {
      refresh.accept(next);
    } catch (Throwable e) { // otherwise no refresh would ever begin again
      ended(End.FAILED);
      LOG.error("A topology refresh could not start; it will be retried", e);
    }
  }

  /** Schedules the next refresh. Replaces the timer scheduled before. */
  private void scheduleNext(Duration delay, RefreshTrigger trigger) {
    int scheduled = ++timer;
    thread.runAfter(
        delay,
        () -> {
          if (phase.acceptsTimer() && timer == scheduled) {
            begin(trigger);
          }
        });
  }
}
