package io.penstock.core.transport;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Wakes event loops when their next scheduled task is due. One daemon thread for all loops of a
 * group: it begins with the first alarm that is set and ends when all have been given back.
 */
final class AlarmClock {

  /** An alarm that is not set anew rings again: nobody is forgotten. */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long NONE = Long.MIN_VALUE;

  private final List<Alarm> alarms = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
  private volatile long sleepsUntil;

  /**
   * An alarm that is not set yet; to be given back.
   *
   * @param ring called on the clock's thread when it is time
   */
  Alarm alarm(Runnable ring) {
    var alarm = new Alarm(ring);
    alarms.add(alarm);
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
     */
    void set(long nanos) {
      at.set(nanos == NONE ? nanos + 1 : nanos);
      Thread clock = thread.get();
      if (clock == null) {
        begin();
      } else if (nanos - sleepsUntil < 0) {
        LockSupport.unpark(clock);
      }
    }

    void clear() {
      at.set(NONE);
    }

    void giveBack() {
      alarms.remove(this);
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

  private void begin() {
    Thread clock = Thread.ofPlatform().daemon().name("penstock-alarm-clock").unstarted(this::run);
    if (thread.compareAndSet(null, clock)) {
      clock.start();
    } else {
      LockSupport.unpark(thread.get());
    }
  }

  private void run() {
    while (!alarms.isEmpty()) {
      long now = System.nanoTime();
      long pause = LONGEST_NANOS;
      for (Alarm alarm : alarms) {
        pause = Math.min(pause, alarm.look(now));
      }
      // Who sets an alarm writes it first and reads this afterwards: one of the two sees the other.
      sleepsUntil = now + pause;
      if (pause > 0 && alarms.stream().noneMatch(alarm -> alarm.isBefore(sleepsUntil))) {
        LockSupport.parkNanos(this, pause);
      }
    }
  }
}
