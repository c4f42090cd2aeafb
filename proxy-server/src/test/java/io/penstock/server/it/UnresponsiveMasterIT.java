package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A master that does not answer while its connections stay open: a process stopped with SIGSTOP.
 */
@ExtendWith(SteadyCluster.class)
class UnresponsiveMasterIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private Member paused;

  @SuppressWarnings("NullAway.Init")
  private String tag;

  @SuppressWarnings("NullAway.Init")
  private String otherTag;

  @BeforeAll
  static void startCluster(EmbeddedCluster shared) {
    cluster = shared;
  }

  @BeforeEach
  void start() {
    proxy =
        ProxyFixture.of(cluster)
            .commandTimeout(TIMEOUT)
            .failoverHold(Duration.ZERO)
            .eventLoops(1)
            .startReady();
    paused = cluster.masters().getFirst();
    tag = Keys.tag(Keys.slotOf(cluster, paused));
    otherTag = Keys.tag(Keys.slotOf(cluster, cluster.masters().getLast()));
  }

  @AfterEach
  void stop() {
    paused.resume();
    proxy.close();
    cluster.awaitHealthy();
  }

  @Test
  void deadlinesAreMetAndLateRepliesAreDropped() {
    try (RespClient one = proxy.connect();
        RespClient two = proxy.connect()) {
      assertThat(one.call("SET", tag + "k", "before")).isEqualTo("+OK\r\n");
      assertThat(two.call("SET", otherTag + "k", "other")).isEqualTo("+OK\r\n");
      FrozenNode.freeze(paused);
      long begun = System.nanoTime();

      one.write(Wire.request("SET", tag + "k", "late"))
          .write(Wire.request("GET", tag + "k"))
          .write(Wire.request("GET", otherTag + "k"))
          .flush();
      assertThat(two.call("GET", otherTag + "k")).isEqualTo(Wire.bulk("other"));
      assertThat(one.available()).as("another client, another master do not wait").isZero();

      assertThat(one.read()).startsWith("-TIMEOUT ").contains("may have run");
      assertThat(one.read()).startsWith("-TIMEOUT ").doesNotContain("may have run");
      assertThat(one.read()).isEqualTo(Wire.bulk("other"));
      assertThat(millisSince(begun)).isBetween(TIMEOUT.toMillis(), TIMEOUT.toMillis() * 3);

      paused.resume();
      assertThat(paused.text("PING")).isEqualTo("PONG"); // new requests are answered in time
      for (int i = 0; i < 20; i++) {
        assertThat(two.call("ECHO", "mine " + i)).isEqualTo(Wire.bulk("mine " + i));
        assertThat(two.call("SET", tag + "two", "value " + i)).isEqualTo("+OK\r\n");
        assertThat(two.call("GET", tag + "two")).isEqualTo(Wire.bulk("value " + i));
        assertThat(one.call("GET", tag + "k")).isEqualTo(Wire.bulk("late"));
      }
    }
  }

  @Test
  void partsOfASplitCommandMeetTheDeadline() {
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("MSET", tag + "a", "1", otherTag + "b", "2")).isEqualTo("+OK\r\n");
      FrozenNode.freeze(paused);

      wire.write(Wire.request("MGET", tag + "a", otherTag + "b"))
          .write(Wire.request("DEL", otherTag + "b", tag + "a"))
          .flush();
      assertThat(wire.read()).startsWith("-TIMEOUT ");
      assertThat(wire.read()).startsWith("-TIMEOUT ");

      paused.resume();
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(wire.call("MGET", tag + "a", otherTag + "b"))
                  .isEqualTo("*2\r\n$-1\r\n$-1\r\n"));
    }
  }

  @Test
  void aSilentConnectionIsClosedAndReopened() {
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", tag + "k", "1")).isEqualTo("+OK\r\n");
      long reconnects = reconnects();
      FrozenNode.freeze(paused);
      Awaitility.await("the connection is closed, and no more requests are sent")
          .atMost(TIMEOUT.multipliedBy(15))
          .until(() -> wire.call("GET", tag + "k").startsWith("-UNAVAILABLE "));
      paused.resume();
      Awaitility.await("served again")
          .atMost(Duration.ofSeconds(10))
          .until(() -> wire.call("GET", tag + "k").equals(Wire.bulk("1")));
      assertThat(reconnects()).isGreaterThan(reconnects);
    }
  }

  @Test
  void manyClientsGetTheirOwnRepliesAfterAPause() {
    List<RespClient> wires = new ArrayList<>();
    List<String> firstReplies = new ArrayList<>();
    try {
      for (int i = 0; i < 30; i++) {
        wires.add(proxy.connect());
        assertThat(wires.getLast().call("GET", tag + "none")).isEqualTo("$-1\r\n"); // connects
      }
      FrozenNode.freeze(paused);
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < wires.size(); i++) {
          wires.get(i).write(Wire.request("GETSET", tag + "k" + i, i + " in round " + round));
          wires.get(i).write(Wire.request("ECHO", i + " in round " + round));
        }
      }
      wires.forEach(RespClient::flush);
      for (RespClient wire : wires.subList(0, 10)) {
        firstReplies.add(wire.read());
      }
      assertThat(firstReplies).allMatch(UnresponsiveMasterIT::isTooLate);
      paused.resume();
      assertThat(paused.text("PING")).isEqualTo("PONG"); // new requests are answered in time
      for (int i = 0; i < wires.size(); i++) {
        RespClient wire = wires.get(i);
        String value = "$-1\r\n";
        for (int round = 0; round < 20; round++) {
          String reply = i < 10 && round == 0 ? firstReplies.get(i) : wire.read();
          assertThat(isTooLate(reply) ? value : reply).isEqualTo(value);
          if (!reply.startsWith(
              "-UNAVAILABLE ")) { // commands in flight run when the node is resumed
            value = Wire.bulk(i + " in round " + round);
          }
          assertThat(wire.read()).isEqualTo(Wire.bulk(i + " in round " + round));
        }
        assertThat(wire.call("GET", tag + "k" + i)).isEqualTo(value);
      }
    } finally {
      wires.forEach(RespClient::close);
    }
  }

  /**
   * Returns whether a deadline has passed: of the reply or, with leased connections, of sending.
   */
  private static boolean isTooLate(String reply) {
    return reply.startsWith("-TIMEOUT ")
        || (DispatchMode.dispatch() instanceof Dispatch.Sync && reply.startsWith("-UNAVAILABLE "));
  }

  private long reconnects() {
    return proxy.stats().nodes().stream()
        .filter(node -> node.node().port() == paused.port())
        .mapToLong(node -> node.reconnects())
        .sum();
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
