package io.penstock.bench.load;

import io.penstock.bench.measure.LoadFailure;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Decides when the threads of a load begin, when each operation is due, and when they end. */
final class Pace {

  private static final long READY_SECONDS = 60;

  /** How late a timer may be: the thread spins for this last part. */
  private static final long TIMER_NANOS = 60_000;

  /**
   * How long after the end a late operation may still begin. More than that means that the rate is
   * too high.
   */
  static final Duration GRACE = Duration.ofSeconds(10);

  private final int threads;
  private final long durationNanos;
  private final double nanosBetween; // of one thread's operations; 0 without a rate
  private final LongSupplier clock;
  private final CountDownLatch ready;
  private final CountDownLatch go = new CountDownLatch(1);
  private volatile long begin;
  private volatile boolean ended;

  /**
   * @param rate operations a second of all threads together; 0 for as many as get through
   */
  Pace(int threads, Duration duration, double rate) {
    this(threads, duration, rate, System::nanoTime);
  }

  /**
   * Of another clock.
   *
   * @param clock answers nanoseconds
   */
  Pace(int threads, Duration duration, double rate, LongSupplier clock) {
    this.clock = clock;
    this.threads = threads;
    this.durationNanos = duration.toNanos();
    this.nanosBetween = rate > 0 ? threads * 1e9 / rate : 0;
    this.ready = new CountDownLatch(threads);
  }

  /**
   * Blocks until every thread has called {@link #ready}.
   *
   * @throws LoadFailure when that takes too long
   */
  void awaitAll() throws InterruptedException {
    if (!ready.await(READY_SECONDS, TimeUnit.SECONDS)) {
      throw new LoadFailure("not every thread was ready after " + READY_SECONDS + " s");
    }
  }

  /** The time begins. */
  void go() {
    begin = clock.getAsLong();
    go.countDown();
  }

  /** Ends the load: no thread gets another turn or waits for the beginning. */
  void end() {
    ended = true;
    go.countDown();
  }

  /** Reports that a thread is connected, or has failed. */
  void ready() {
    ready.countDown();
  }

  void awaitGo() throws InterruptedException {
    go.await();
  }

  long elapsedNanos() {
    return clock.getAsLong() - begin;
  }

  /**
   * Blocks until a thread's next operation is due. With a rate, all operations that are due before
   * the end run, however late: otherwise the longest latencies would be missing.
   *
   * @param thread from 0
   * @param operation from 0
   * @return the moment at which it was due, or now without a rate; {@link Long#MIN_VALUE} when the
   *     time is over
   * @throws LoadFailure when operations wait long after that
   */
  long awaitTurn(int thread, long operation) {
    long now = clock.getAsLong();
    long due = nanosBetween == 0 ? now : begin + dueAfter(thread, operation);
    if (ended || due - begin >= durationNanos) {
      return Long.MIN_VALUE;
    }
    if (now - begin >= durationNanos + GRACE.toNanos()) {
      throw new LoadFailure(
          "the rate is too high: what was due waits %d s after the end to begin"
              .formatted(GRACE.toSeconds()));
    }
    for (long early = due - now; early > 0; early = due - clock.getAsLong()) {
      if (early > TIMER_NANOS) {
        LockSupport.parkNanos(early - TIMER_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
    return due;
  }

  /** Nanoseconds from the beginning: the threads take turns. */
  long dueAfter(int thread, long operation) {
    return (long) (nanosBetween * (operation + (double) thread / threads));
  }
}
