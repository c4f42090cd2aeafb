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
 * Wakes event loops when their next scheduled task is due. One daemon thread for all loops of a
 * group: it begins with the first alarm that is set and ends when all have been given back, and
 * with nothing else: idle loops would never see to their tasks again.
 */
final class AlarmClock {

  private static final Logger log = LoggerFactory.getLogger(AlarmClock.class);

  /**
   * An alarm that is not set anew rings again, and what failed is tried again: nobody is forgotten.
   */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NONE = Long.MIN_VALUE;

  private final ThreadFactory threads;
  private final AtomicReference<Alarm[]> alarms = new AtomicReference<>(new Alarm[0]);
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private final AtomicBoolean starting = new AtomicBoolean();
  private volatile long startsAgain = System.nanoTime();
  private volatile long quietUntil = System.nanoTime();
  private volatile long sleepsUntil;

  AlarmClock() {
    this(Thread.ofPlatform().daemon().name("penstock-alarm-clock").factory());
  }

  AlarmClock(ThreadFactory threads) {
    this.threads = threads;
  }

  /**
   * An alarm that is not set yet; to be given back.
   *
   * @param ring called on the clock's thread when it is time
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

  /** Of one loop. Set by that loop only. */
  final class Alarm {

    private final Runnable ring;
    private final AtomicLong at = new AtomicLong(NONE);

    private Alarm(Runnable ring) {
      this.ring = ring;
    }

    /**
     * Rings at that time instead of any other.
     *
     * @param nanos as of {@link System#nanoTime}
     * @return whether it will; false while the clock's thread cannot be started, or is just being
     */
    boolean set(long nanos) {
      at.set(nanos == NONE ? nanos + 1 : nanos);
      if (thread.get() == null && !begin()) {
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

    /** Answers how long it is until it is to be looked at again. */
    private long look(long now) {
      long time = at.get();
      if (time == NONE) {
        return LONGEST_NANOS;
      }
      if (time - now > 0) {
        return time - now;
      }
      at.compareAndSet(time, now + AGAIN_NANOS); // unless it was set meanwhile
      ring.run();
      return 0;
    }

    private boolean isBefore(long nanos) {
      long time = at.get();
      return time != NONE && time - nanos < 0;
    }
  }

  /** Who cannot have a thread now may have one later, and no loop is to fail of that. */
  private boolean begin() {
    if (System.nanoTime() - startsAgain < 0 || !starting.compareAndSet(false, true)) {
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
      startsAgain = System.nanoTime() + AGAIN_NANOS;
      say("the thread that wakes event loops could not be started; they wait with timeouts", e);
      return false;
    } finally {
      starting.set(false);
    }
  }

  private void run() {
    while (alarms.get().length > 0) {
      round();
    }
  }

  /** Makes no garbage: it goes on where there is no memory. */
  private void round() {
    long now = System.nanoTime();
    long pause = LONGEST_NANOS;
    for (Alarm alarm : alarms.get()) {
      pause = Math.min(pause, look(alarm, now));
    }
    // Who sets an alarm writes it first and reads this afterwards: one of the two sees the other.
    sleepsUntil = now + pause;
    if (pause > 0 && !isAnyBefore(sleepsUntil)) {
      LockSupport.parkNanos(this, pause);
    }
  }

  /** One that fails is looked at again later, and holds up no other. */
  private long look(Alarm alarm, long now) {
    try {
      return alarm.look(now);
    } catch (Throwable e) {
      say("an event loop could not be woken; tried again", e);
      return AGAIN_NANOS;
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

  /** Not ten times a second, for as long as it lasts. */
  private void say(String what, Throwable failure) {
    long now = System.nanoTime();
    if (now - quietUntil < 0) {
      return;
    }
    quietUntil = now + QUIET_NANOS;
    try {
      log.error(what, failure);
    } catch (Throwable _) {
      // there is no memory for words, most likely
    }
  }
}
