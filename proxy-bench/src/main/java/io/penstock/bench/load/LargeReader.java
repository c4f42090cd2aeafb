package io.penstock.bench.load;

import io.penstock.bench.measure.LoadFailure;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import redis.clients.jedis.UnifiedJedis;

/** A client that fetches one value of 1 MiB after the other until it is closed. */
final class LargeReader implements AutoCloseable {

  private static final int BYTES = 1024 * 1024;

  /** Enough for every node to have some. */
  private static final int VALUES = 24;

  private final UnifiedJedis client;
  private final CompletableFuture<Void> reading;
  private volatile boolean closed;

  /**
   * @param client closed with this
   */
  LargeReader(UnifiedJedis client) {
    this.client = client;
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

  private static byte[] key(int number) {
    return ("penstock-bench-large-" + number).getBytes(StandardCharsets.US_ASCII);
  }

  private void read() {
    while (!closed) {
      byte[] value = client.get(key(ThreadLocalRandom.current().nextInt(VALUES)));
      if (value == null || value.length != BYTES) {
        throw new LoadFailure("a value of 1 MiB is gone");
      }
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
