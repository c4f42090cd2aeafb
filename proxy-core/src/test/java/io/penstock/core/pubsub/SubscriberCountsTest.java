package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.Test;

class SubscriberCountsTest {

  private static final Endpoint HERE = new Endpoint("a", 1);
  private static final Endpoint THERE = new Endpoint("b", 1);

  private final Loop loop = Loop.over(new EmbeddedChannel().eventLoop());
  private SubscriberCounts audience = new SubscriberCounts();

  private static Name name(String text) {
    return Name.copy(Unpooled.wrappedBuffer(Wire.bytes(text)), 0, text.length());
  }

  private void listen(Kind kind, String text, int clients, Endpoint... connections) {
    audience.addClients(new Topic(kind, name(text), 0), clients, loop);
    for (Endpoint node : connections) {
      audience.addConnections(kind, name(text), node, 1);
    }
  }

  private long reached(Kind kind, String channel, Endpoint node, long counted) {
    var count =
        new ReceiverCount(new PendingSubscriptions.Channel(kind, name(channel)), node, counted);
    assertThat(count.advance(audience, Integer.MAX_VALUE)).isPositive();
    return count.result();
  }

  @Test
  void connectionsToThePublishingNodeAreNotCounted() {
    listen(Kind.CHANNEL, "c", 7, HERE, HERE, THERE);

    assertThat(reached(Kind.CHANNEL, "c", HERE, 2)).isEqualTo(7);
    assertThat(reached(Kind.CHANNEL, "c", HERE, 5)).isEqualTo(10);
    assertThat(reached(Kind.CHANNEL, "c", THERE, 1)).isEqualTo(7);
    assertThat(reached(Kind.CHANNEL, "d", HERE, 3)).isEqualTo(3);
    assertThat(reached(Kind.SHARD, "c", HERE, 0)).isZero();
    assertThat(audience.subscribers(Kind.CHANNEL, name("c"), 4)).isEqualTo(8);
  }

  /** Equal proxies: each counts the subscriptions of the others too. */
  @Test
  void connectionsToEqualNodesAreNotCounted() {
    audience = SubscriberCounts.ofEqualNodes();
    listen(Kind.CHANNEL, "c", 7, HERE, HERE, THERE);
    listen(Kind.PATTERN, "c*", 2, HERE);

    assertThat(reached(Kind.CHANNEL, "c", THERE, 4)).isEqualTo(9);
    assertThat(reached(Kind.CHANNEL, "c", THERE, 3)).isEqualTo(9);
    assertThat(reached(Kind.CHANNEL, "c", HERE, 6)).isEqualTo(11);
    assertThat(reached(Kind.CHANNEL, "d", HERE, 3)).isEqualTo(3);
  }

  @Test
  void eachMatchingPatternCounts() {
    listen(Kind.PATTERN, "c*", 2, THERE);
    listen(Kind.PATTERN, "*", 3, HERE, THERE);
    listen(Kind.PATTERN, "d", 5, HERE);

    assertThat(reached(Kind.CHANNEL, "cat", HERE, 1)).isEqualTo(5);
    assertThat(audience.patterns(4)).isEqualTo(3);
    assertThat(audience.patterns(5)).isEqualTo(4);
  }

  @Test
  void isEmptyAfterAllUnsubscribed() {
    assertThat(audience.isEmpty()).isTrue();
    listen(Kind.SHARD, "c", 1, HERE);
    assertThat(audience.isEmpty()).isFalse();

    audience.addClients(new Topic(Kind.SHARD, name("c"), 0), -1, loop);
    audience.addConnections(Kind.SHARD, name("c"), HERE, -1);

    assertThat(audience.isEmpty()).isTrue();
  }
}
