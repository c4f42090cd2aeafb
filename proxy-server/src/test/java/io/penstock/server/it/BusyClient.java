package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/**
 * A client that sends pipelines of increments of one key and counts the replies, until it is
 * stopped or one is an error.
 */
public final class BusyClient implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final AtomicBoolean stopped = new AtomicBoolean();
  private final AtomicLong replies = new AtomicLong();
  private final CompletableFuture<Void> done;

  /**
   * @param client is closed at the end
   */
  public BusyClient(RespClient client, String key, int pipeline) {
    done = CompletableFuture.runAsync(() -> run(client, key, pipeline), Thread.ofPlatform()::start);
  }

  private void run(RespClient client, String key, int pipeline) {
    try (client) {
      while (!stopped.get()) {
        for (int i = 0; i < pipeline; i++) {
          client.write(Wire.request("INCR", key));
        }
        client.flush();
        for (int i = 0; i < pipeline; i++) {
          assertThat(client.read()).startsWith(":");
          replies.incrementAndGet();
        }
      }
    }
  }

  /** Waits until some more increments are answered. */
  public void awaitProgress() {
    long before = replies.get();
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> done.isCompletedExceptionally() || replies.get() > before + 50);
    assertThat(done).isNotCompletedExceptionally();
  }

  /** Stops, and returns how many increments were answered; throws if one had an error. */
  public long stop() {
    stopped.set(true);
    ProxyFixture.await(done);
    return replies.get();
  }

  @Override
  public void close() {
    stopped.set(true);
  }
}
