package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections to nodes are lost while in use; the nodes stay up. */
@ExtendWith(SteadyCluster.class)
class ConnectionLossIT {

  private static final int DEPTH = 300;
  private static final int KILLS = 40;

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private Member node;

  @SuppressWarnings("NullAway.Init")
  private String tag;

  @BeforeAll
  static void startCluster(EmbeddedCluster shared) {
    cluster = shared;
  }

  @BeforeEach
  void start() {
    proxy =
        ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(10)).eventLoops(1).startReady();
    node = cluster.masters().getFirst();
    tag = Keys.tag(Keys.slotOf(cluster, node));
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", tag + "k", "here")).isEqualTo("+OK\r\n");
    }
  }

  @AfterEach
  void stop() {
    node.resume();
    proxy.close();
  }

  @Test
  void lateRepliesOfAFrozenNodeReachNoOtherClient() {
    Duration timeout = Duration.ofSeconds(3);
    try (ProxyFixture quick =
        ProxyFixture.of(cluster)
            .commandTimeout(timeout)
            .failoverHold(Duration.ZERO) // for clients without a leased connection
            .eventLoops(1)
            .startReady()) {
      List<RespClient> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        RespClient wire = quick.connect();
        clients.add(wire);
        assertThat(wire.call("SET", tag + "own" + i, "" + i)).isEqualTo("+OK\r\n");
      }
      FrozenNode.freeze(node);

      for (int round = 0; round < 2; round++) {
        long began = System.nanoTime();
        for (RespClient wire : clients) {
          wire.send("GET", tag + "k");
        }
        for (RespClient wire : clients) {
          String reply = wire.read();
          assertThat(
                  DispatchMode.dispatch() instanceof Dispatch.Sync
                      && reply.startsWith("-UNAVAILABLE "))
              .as(reply)
              .isNotEqualTo(reply.startsWith("-TIMEOUT "));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began))
            .as("they do not time out one after the other")
            .isBetween(timeout, timeout.multipliedBy(2));
      }
      node.resume();

      for (int i = 0; i < clients.size(); i++) {
        RespClient wire = clients.get(i);
        for (int j = 0; j < 5; j++) {
          assertThat(wire.call("GET", tag + "own" + i)).isEqualTo(Wire.bulk("" + i));
        }
      }
      clients.forEach(RespClient::close);
    }
  }

  /** The connections of a node that stays frozen are closed, and new ones are not answered. */
  @Test
  void aNodeThatWasFrozenForLongServesAgainWithoutErrors() {
    try (ProxyFixture quick =
            ProxyFixture.of(cluster)
                .commandTimeout(Duration.ofSeconds(2))
                .failoverHold(Duration.ofSeconds(60))
                .eventLoops(1)
                .startReady();
        RespClient wire = quick.connect()) {
      assertThat(wire.call("GET", tag + "k")).isEqualTo(Wire.bulk("here"));
      FrozenNode.freeze(node);
      assertThat(wire.call("GET", tag + "k")).startsWith("-TIMEOUT ");
      Awaitility.await("the connection is closed")
          .until(() ->
              quick.stats().nodes().stream()
                  .anyMatch(n -> n.node().port() == node.port() && n.connections() == 0));

      wire.send("GET", tag + "k");
      Awaitility.await("the request is held").until(() -> quick.stats().held().now() == 1);
      node.resume();

      assertThat(wire.read()).isEqualTo(Wire.bulk("here"));
    }
  }

  @Test
  void noReadReturnsALaterWrite() {
    Load load = new Load();
    try (load) {
      for (int i = 0; i < 4; i++) {
        load.add("reader and writer " + i, new ReaderAndWriter(proxy.connect(), tag + "rw" + i));
      }
      try (RespClient admin = node.server().connect()) {
        for (int i = 0; i < KILLS; i++) {
          load.awaitSteps(1);
          admin.value("CLIENT", "KILL", "TYPE", "normal");
        }
      }
      load.awaitFullSteps();
      load.stop();
    }
  }

  /**
   * Writes increasing numbers and reads after each write. Writes in flight may or may not survive a
   * lost connection, but a read never returns a number written after it, nor one older than the
   * last number acknowledged before it.
   */
  private static final class ReaderAndWriter implements Runnable {
    private final RespClient wire;
    private final String key;
    private long number;
    private long acknowledged;

    ReaderAndWriter(RespClient wire, String key) {
      this.wire = wire;
      this.key = key;
    }

    @Override
    public void run() {
      try {
        for (int i = 1; i <= DEPTH; i++) {
          wire.write(Wire.request("SET", key, Long.toString(number + i)));
          wire.write(Wire.request("GET", key));
        }
        wire.flush();
        for (int i = 1; i <= DEPTH; i++) {
          check(number + i);
        }
        number += DEPTH;
      } catch (UncheckedIOException e) {
        throw new AssertionError("number " + number + ": " + e.getMessage(), e);
      }
    }

    private void check(long written) {
      String set = wire.read();
      if (set.equals("+OK\r\n")) {
        acknowledged = written;
      } else {
        assertThat(set).matches("-(CONNLOST|UNAVAILABLE) [^\r]*\r\n");
      }
      String get = wire.read();
      if (get.startsWith("-")) {
        assertThat(get).matches("-(CONNLOST|UNAVAILABLE) [^\r]*\r\n");
      } else {
        String content = Wire.content(get);
        long value = content.startsWith("$-1") ? 0 : Long.parseLong(content);
        assertThat(value).as("read after %d", written).isBetween(acknowledged, written);
      }
    }
  }
}
