package io.penstock.core.transport;

import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes event loops when their next scheduled task is due. One daemon thread serves all loops of a
 * group. It starts with the first alarm that is set, and ends only when all alarms are closed:
 * without it, idle loops would never run their tasks.
 */
final class AlarmClock {

  private static final Logger log = LoggerFactory.getLogger(AlarmClock.class);

  /** An alarm that is not set again rings again after this time; what failed is retried. */
  private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long MAX_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NONE = Long.MIN_VALUE;

  private final ThreadFactory threads;
  private final AtomicReference<Alarm[]> alarms = new AtomicReference<>(new Alarm[0]);
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private final AtomicBoolean starting = new AtomicBoolean();
  private volatile long startRetryAt = System.nanoTime();
  private volatile long nextLogAt = System.nanoTime();
  private volatile long sleepsUntil;

  AlarmClock() {
    this(Thread.ofPlatform().daemon().name("penstock-alarm-clock").factory());
  }

  AlarmClock(ThreadFactory threads) {
    this.threads = threads;
  }

  /**
   * Creates an alarm that is not set. It must be closed.
   *
   * @param ring called on the clock's thread when the alarm rings
   */
  Alarm alarm(Runnable ring) {
    var alarm = new Alarm(ring);
    alarms.updateAndGet(before -> {
      Alarm[] more = Arrays.copyOf(before, before.length + 1);
      more[before.length] = alarm;
      return more;
    });
    return alarm;
  }

  /** The alarm of one loop. Set by that loop only. */
  final class Alarm {

    private final Runnable ring;
    private final AtomicLong at = new AtomicLong(NONE);

    private Alarm(Runnable ring) {
      this.ring = ring;
    }

    /**
     * Sets the time at which it rings, in place of an earlier one.
     *
     * @param nanos as of {@link System#nanoTime}
     * @return false if it will not ring: the clock's thread cannot be started, or is just being
     *     started by another loop
     */
    boolean set(long nanos) {
      at.set(nanos == NONE ? nanos + 1 : nanos);
      if (thread.get() == null && !startThread()) {
        return false;
      }
      if (nanos - sleepsUntil < 0) {
        LockSupport.unpark(thread.get());
      }
      return true;
    }

    void clear() {
      at.set(NONE);
    }

    void close() {
      alarms.updateAndGet(
          before -> Arrays.stream(before).filter(other -> other != this).toArray(Alarm[]::new));
      LockSupport.unpark(thread.get());
    }

    /** Rings if it is due. Returns the nanoseconds until the next check. */
    private long ringIfDue(long now) {
      long time = at.get();
      if (time == NONE) {
        return MAX_SLEEP_NANOS;
      }
      if (time - now > 0) {
        return time - now;
      }
      at.compareAndSet(time, now + REPEAT_NANOS); // unless it was set concurrently
      ring.run();
      return 0;
    }

    private boolean isBefore(long nanos) {
      long time = at.get();
      return time != NONE && time - nanos < 0;
    }
  }

  /** Starts the thread. If that fails it is tried again later, and no loop fails. */
  private boolean startThread() {
    if (System.nanoTime() - startRetryAt < 0 || !starting.compareAndSet(false, true)) {
      return false;
    }
    try {
      if (thread.get() == null) {
        Thread clock = threads.newThread(this::run);
        clock.start();
        thread.set(clock);
      }
      return true;
    } catch (Throwable e) {
      startRetryAt = System.nanoTime() + REPEAT_NANOS;
      logOccasionally(
          "the thread that wakes event loops could not be started; event loops wait with timeouts",
          e);
      return false;
    } finally {
      starting.set(false);
    }
  }

  private void run() {
    while (alarms.get().length > 0) {
      ringDue();
    }
  }

  /** Allocates nothing, so that it also works when memory is exhausted. */
  private void ringDue() {
    long now = System.nanoTime();
    long pause = MAX_SLEEP_NANOS;
    for (Alarm alarm : alarms.get()) {
      pause = Math.min(pause, ringIfDue(alarm, now));
    }
    // A loop sets its alarm before it reads this field, so one of the two threads sees the other.
    sleepsUntil = now + pause;
    if (pause > 0 && !isAnyBefore(sleepsUntil)) {
      LockSupport.parkNanos(this, pause);
    }
  }

  /** An alarm that fails is retried later and does not delay others. */
  private long ringIfDue(Alarm alarm, long now) {
    try {
      return alarm.ringIfDue(now);
    } catch (Throwable e) {
      logOccasionally("an event loop could not be woken; this is retried", e);
      return REPEAT_NANOS;
    }
  }

  private boolean isAnyBefore(long nanos) {
    for (Alarm alarm : alarms.get()) {
      if (alarm.isBefore(nanos)) {
        return true;
      }
    }
    return false;
  }

  /** Logs at most once a minute. */
  private void logOccasionally(String what, Throwable failure) {
    long now = System.nanoTime();
    if (now - nextLogAt < 0) {
      return;
    }
    nextLogAt = now + LOG_INTERVAL_NANOS;
    try {
      log.error(what, failure);
    } catch (Throwable _) {
      // memory is probably exhausted
    }
  }
}
