package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopPolls;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReceiverCountsTest {

  private static final Endpoint NODE = new Endpoint("a", 1);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Loop loop = Loop.over(channel.eventLoop());
  private final SubscriberCounts audience = new SubscriberCounts();
  private final ReceiverCounts counts =
      new ReceiverCounts(audience, new Slices(channel.eventLoop()), new LoopPolls(loop));
  private final List<String> told = new ArrayList<>();

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private static Name name(String text) {
    return Name.copy(Unpooled.wrappedBuffer(Wire.bytes(text)), 0, text.length());
  }

  private void listen(String pattern, int clients) {
    audience.addClients(new Topic(Kind.PATTERN, name(pattern), 0), clients, loop);
  }

  private class Listener implements ReceiverCounts.Listener {

    private final String name;

    Listener(String name) {
      this.name = name;
    }

    @Override
    public boolean isClosed() {
      return false;
    }

    @Override
    public void onConnectionsCounted() {}

    @Override
    public void onCount(long clients) {
      told.add(name + clients);
    }

    @Override
    public void onFailure(Throwable cause) {
      told.add(name + cause.getMessage());
    }
  }

  private void count(String text, Listener listener) {
    counts.count(
        new ReceiverCount(new PendingSubscriptions.Channel(Kind.CHANNEL, name(text)), NODE, 0),
        listener);
  }

  private int turns() {
    int turns = 0;
    while (channel.hasPendingTasks()) {
      channel.runScheduledPendingTasks();
      turns++;
    }
    return turns;
  }

  @Test
  void shortCountsCompleteAtOnce() {
    listen("c*", 2);
    listen("*?t", 3);
    listen("d", 5);

    count("cat", new Listener("a"));

    assertThat(told).containsExactly("a5");
    assertThat(channel.hasPendingTasks()).isFalse();
  }

  @Test
  void aSlowPatternContinuesInLaterTurns() {
    listen("*" + "a".repeat(1_000) + "b", 1);
    listen("*a", 1);
    String text = "a".repeat(2_000);
    long steps = 1_000L * 1_000;

    count(text, new Listener("a"));
    count("a", new Listener("b"));

    assertThat(told).isEmpty();
    assertThat(turns()).isGreaterThanOrEqualTo((int) (steps / ReceiverCounts.SLICE));
    assertThat(told).containsExactly("a1", "b1");
  }

  @Test
  void manyPatternsContinueInLaterTurns() {
    for (int i = 0; i < 50_000; i++) {
      listen("a" + i, 1);
    }

    count("a7", new Listener("a"));

    assertThat(told).isEmpty();
    assertThat(turns()).isGreaterThan(1);
    assertThat(told).containsExactly("a1");
  }

  /** One after the other, each of them short. */
  @Test
  void manyMessagesShareOneTurn() {
    listen("*x", 1);
    String text = "a".repeat(1_000);
    int messages = 3 * ReceiverCounts.SLICE / 1_000;

    for (int i = 0; i < messages; i++) {
      count(text, new Listener(""));
    }

    assertThat(told).hasSizeBetween(messages / 4, messages / 2);
    assertThat(turns()).isBetween(2, 4);
    assertThat(told).hasSize(messages);
  }

  @Test
  void closedPublishersAreNotCountedFor() {
    listen("*" + "a".repeat(1_000) + "b", 1);

    count(
        "a".repeat(2_000),
        new Listener("a") {
          @Override
          public boolean isClosed() {
            return true;
          }
        });

    assertThat(turns()).isEqualTo(1);
    assertThat(told).containsExactly("a0");
  }

  @Test
  void aFailureDoesNotBlockOtherCounts() {
    listen("*" + "a".repeat(1_000) + "b", 1);
    listen("c", 1);
    count(
        "a".repeat(2_000),
        new Listener("a") {
          @Override
          public void onCount(long clients) {
            throw new IllegalStateException(" failed");
          }
        });
    count("c", new Listener("b"));

    turns();

    assertThat(told).containsExactly("a failed", "b1");
  }
}
