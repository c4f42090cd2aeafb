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
 * A client that publishes numbers to a channel, one after the other, until it is stopped or
 * something is wrong: each must be counted for one subscriber, and reach it once and in order.
 */
final class BusyPublisher implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final AtomicBoolean stopped = new AtomicBoolean();
  private final AtomicLong received = new AtomicLong();
  private final CompletableFuture<Void> done;

  /**
   * @param publisher is closed at the end
   * @param subscriber of this channel only, from now on
   */
  BusyPublisher(RespClient publisher, RespClient subscriber, String channel) {
    assertThat(subscriber.call("SUBSCRIBE", channel)).contains("subscribe");
    done =
        CompletableFuture.runAsync(
            () -> run(publisher, subscriber, channel), Thread.ofPlatform()::start);
  }

  private void run(RespClient publisher, RespClient subscriber, String channel) {
    try (publisher) {
      for (long i = 1; !stopped.get(); i++) {
        String number = Long.toString(i);
        assertThat(publisher.call("PUBLISH", channel, number)).isEqualTo(":1\r\n");
        assertThat(subscriber.read()).isEqualTo(Wire.request("message", channel, number));
        received.incrementAndGet();
      }
    }
  }

  /** Waits until some more messages have arrived. */
  void awaitProgress() {
    long before = received.get();
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> done.isCompletedExceptionally() || received.get() > before + 20);
    assertThat(done).isNotCompletedExceptionally();
  }

  /** Stops; throws if something was wrong. */
  void stop() {
    stopped.set(true);
    ProxyFixture.await(done);
  }

  @Override
  public void close() {
    stopped.set(true);
  }
}
