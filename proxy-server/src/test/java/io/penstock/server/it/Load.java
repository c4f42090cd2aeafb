package io.penstock.server.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;

/**
 * Clients that repeat a step, each on a thread of its own, until {@link #stop} or until one of them
 * fails.
 */
public final class Load implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<Thread> threads = new ArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<AtomicLong> steps = new ArrayList<>();
  private volatile Duration pause = Duration.ZERO;
  private volatile boolean stopping;

  /**
   * Sets a pause of each client between its steps. Without it writers can be faster than replicas,
   * which then fall further and further behind, so that no master can hand over.
   */
  public void pauseBetweenSteps(Duration time) {
    pause = time;
  }

  /** Starts to repeat {@code step}. */
  public void add(String name, Runnable step) {
    var done = new AtomicLong();
    steps.add(done);
    Thread thread = new Thread(() -> repeat(name, step, done), name);
    threads.add(thread);
    thread.start();
  }

  private void repeat(String name, Runnable step, AtomicLong done) {
    try {
      while (!stopping && failures.isEmpty()) {
        step.run();
        done.incrementAndGet();
        LockSupport.parkNanos(pause.toNanos());
      }
    } catch (RuntimeException | AssertionError e) {
      failures.add(new AssertionError("client " + name + ": " + e.getMessage(), e));
    }
  }

  /** Returns the number of steps completed by all clients together. */
  public long steps() {
    return steps.stream().mapToLong(AtomicLong::get).sum();
  }

  /** Waits until all clients together have completed {@code more} steps. Fails if one failed. */
  public void awaitSteps(long more) {
    long wanted = steps() + more;
    await(() -> steps() >= wanted);
  }

  /**
   * Waits until each client has begun and completed a step; then all requests sent before this call
   * are answered. Fails if a client has failed.
   */
  public void awaitFullSteps() {
    long[] before = steps.stream().mapToLong(AtomicLong::get).toArray();
    await(() -> {
      for (int i = 0; i < before.length; i++) {
        if (steps.get(i).get() < before[i] + 2) {
          return false;
        }
      }
      return true;
    });
  }

  private void await(Callable<Boolean> condition) {
    Awaitility.await("steps of clients")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> condition.call() || !failures.isEmpty());
    check();
  }

  /** Fails if a client has failed. */
  public void check() {
    Throwable first = failures.peek();
    if (first != null) {
      AssertionError error = new AssertionError(first.getMessage(), first);
      failures.stream().skip(1).forEach(error::addSuppressed);
      throw error;
    }
  }

  /** Lets each client complete its current step. Fails if one has failed. */
  public void stop() {
    close();
    check();
  }

  @Override
  public void close() {
    stopping = true;
    for (Thread thread : threads) {
      try {
        if (!thread.join(PATIENCE)) {
          failures.add(new AssertionError("client " + thread.getName() + " does not stop"));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
