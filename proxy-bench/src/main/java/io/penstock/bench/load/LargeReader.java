package io.penstock.bench.load;

import io.penstock.bench.measure.LoadFailure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.UnifiedJedis;

/** A client that fetches values of 1 MiB until it is closed. */
final class LargeReader implements AutoCloseable {

  private static final int BYTES = 1024 * 1024;

  /** Enough that every node has some. */
  private static final int VALUES = 24;

  private static final Duration LONGER_THAN_ANY_LOAD = Duration.ofDays(1);

  private final UnifiedJedis client;
  private final CompletableFuture<Void> reading;
  private final Pace pace;
  private final AtomicLong fetched = new AtomicLong();
  private volatile boolean closed;

  /**
   * @param client closed with this
   * @param rate values a second at most; 0 for one as soon as the last is there
   */
  LargeReader(UnifiedJedis client, double rate) {
    this.client = client;
    this.pace = new Pace(1, LONGER_THAN_ANY_LOAD, rate);
    this.reading =
        CompletableFuture.runAsync(
            this::read, task -> Thread.ofPlatform().name("large-reader").daemon().start(task));
  }

  static void prepare(UnifiedJedis client) {
    byte[] value = new byte[BYTES];
    Arrays.fill(value, (byte) 'v');
    for (int i = 0; i < VALUES; i++) {
      client.set(key(i), value);
    }
  }

  /** Returns the number of values fetched so far. */
  long fetched() {
    return fetched.get();
  }

  private static byte[] key(int number) {
    return ("penstock-bench-large-" + number).getBytes(StandardCharsets.US_ASCII);
  }

  private void read() {
    pace.go();
    for (long number = 0; !closed; number++) {
      pace.awaitTurn(0, number);
      byte[] value = client.get(key(ThreadLocalRandom.current().nextInt(VALUES)));
      if (value == null || value.length != BYTES) {
        throw new LoadFailure("a value of 1 MiB is gone");
      }
      fetched.incrementAndGet();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      reading.join();
    } catch (CompletionException e) {
      throw new LoadFailure("the client with large values: " + e.getMessage(), e);
    } finally {
      client.close();
    }
  }
}
