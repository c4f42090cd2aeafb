package io.penstock.bench.load;

import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Sample;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Another client while a load runs: sends GET and PING in turn, and each second a PSUBSCRIBE of one
 * pattern, on a thread of its own.
 */
public final class Bystander implements AutoCloseable {

  private static final long PAUSE_NANOS = 2_000_000;
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double NANOS_PER_MILLI = 1e6;

  private final Target.Address target;
  private final List<String> keys;
  private final Duration patience;
  private final Histogram replies = Tally.histogram();
  private final Histogram subscriptions = Tally.histogram();
  private final CompletableFuture<Void> running;
  private long errors;
  private volatile boolean counting;
  private volatile boolean closed;

  /**
   * Begins to send at once, and to count with {@link #count}.
   *
   * @param keys to GET, in turn
   * @param patience for each reply
   */
  public Bystander(Target.Address target, List<String> keys, Duration patience) {
    this.target = target;
    this.keys = keys;
    this.patience = patience;
    this.running =
        CompletableFuture.runAsync(
            this::run, task -> Thread.ofPlatform().name("bystander").daemon().start(task));
  }

  /** From now on replies count. */
  public void count() {
    counting = true;
  }

  /** Ends it. */
  @Override
  public void close() {
    closed = true;
    try {
      running.join();
    } catch (CompletionException e) {
      errors++; // its connection was closed, or the time for a reply was up
    }
  }

  /** What all of them have seen; after {@link #close}. */
  public static Sample sample(List<Bystander> all) {
    Histogram replies = Tally.histogram();
    Histogram subscriptions = Tally.histogram();
    long errors = 0;
    for (Bystander one : all) {
      replies.add(one.replies);
      subscriptions.add(one.subscriptions);
      errors += one.errors;
    }
    return Sample.EMPTY
        .with(Measure.OTHER_P50, replies.getValueAtPercentile(50) / NANOS_PER_MILLI)
        .with(Measure.OTHER_WORST, replies.getMaxValue() / NANOS_PER_MILLI)
        .with(Measure.OTHER_PSUBSCRIBE, subscriptions.getMaxValue() / NANOS_PER_MILLI)
        .with(Measure.OTHER_ERRORS, (double) errors);
  }

  private void run() {
    try (RespClient client = RespClient.open(target.host(), target.port(), patience);
        RespClient subscriber = RespClient.open(target.host(), target.port(), patience)) {
      long subscribed = System.nanoTime();
      for (int i = 0; !closed; i++) {
        record(replies, client, "GET", keys.get(i % keys.size()));
        record(replies, client, "PING");
        if (System.nanoTime() - subscribed > SECOND_NANOS) {
          subscribed = System.nanoTime();
          record(subscriptions, subscriber, "PSUBSCRIBE", "other" + i + "*");
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void record(Histogram latencies, RespClient client, String... command) {
    long begin = System.nanoTime();
    String reply = client.call(command);
    if (counting) {
      Tally.record(latencies, System.nanoTime() - begin, 1);
      errors += reply.startsWith("-") && !reply.startsWith("-MOVED ") ? 1 : 0;
    }
  }
}
