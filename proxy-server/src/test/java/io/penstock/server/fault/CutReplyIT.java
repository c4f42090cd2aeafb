package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.it.Keys;
import io.penstock.server.it.ProxyFixture;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.network.Relay.Direction;
import io.penstock.testkit.network.Relay.End;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection to a node is lost in the middle of a large reply while the node stays up. */
class CutReplyIT {

  private static final int LARGE = 48 * 1024 * 1024;
  private static final long SEED = 4_711;

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static Member node;

  @SuppressWarnings("NullAway.Init")
  private static Member other;

  @SuppressWarnings("NullAway.Init")
  private static Relay relay; // in front of the node with the large value

  @SuppressWarnings("NullAway.Init")
  private static byte[] large;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private String tag;

  @SuppressWarnings("NullAway.Init")
  private String otherTag;

  @BeforeAll
  static void startCluster() {
    cluster = EmbeddedCluster.builder().masters(3).nodeTimeout(Duration.ofSeconds(60)).start();
    node = cluster.masters().getFirst();
    other = cluster.masters().getLast();
    relay = Relay.to(node.host(), node.port());
    node.text("CONFIG", "SET", "cluster-announce-port", Integer.toString(relay.port()));
    Awaitility.await("all nodes know the relay")
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            cluster.members().stream()
                .allMatch(m -> m.text("CLUSTER", "NODES").contains(":" + relay.port() + "@")));
    large = new byte[LARGE];
    new Random(SEED).nextBytes(large);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
    relay.close();
  }

  @BeforeEach
  void start() {
    Endpoint seed = new Endpoint("127.0.0.1", relay.port());
    proxy =
        ProxyFixture.of(new ClusterUpstreamSettings(List.of(seed), null))
            .commandTimeout(Duration.ofSeconds(10))
            .refreshPeriod(Duration.ofHours(1)) // no other traffic through the relay
            .eventLoops(1)
            .startReady();
    tag = Keys.tag(Keys.slotOf(cluster, node));
    otherTag = Keys.tag(Keys.slotOf(cluster, other));
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call(Wire.bytes("SET"), Wire.bytes(tag + "large"), large))
          .isEqualTo("+OK\r\n");
      assertThat(wire.call("MSET", tag + "k", "here", otherTag + "k", "there"))
          .isEqualTo("+OK\r\n");
    }
  }

  @AfterEach
  void stop() {
    other.resume();
    proxy.close();
    relay.cancelCut();
  }

  @Test
  void aReadWithACutReplyAfterAnotherIsRetriedCompletely() {
    try (RespClient wire = proxy.connect()) {
      FrozenNode.freeze(other);
      relay.cutAfter(Direction.BACK, LARGE / 2, End.FIN);
      wire.write(Wire.request("GET", otherTag + "k"))
          .write(Wire.request("GET", tag + "large"))
          .write(Wire.request("ECHO", "behind"))
          .flush();
      awaitCut();
      Awaitility.await("the proxy has read to the cut").until(() -> lostConnections() == 1);
      other.resume();

      assertThat(wire.read()).isEqualTo(Wire.bulk("there"));
      assertThat(isLarge(wire.readBytes())).isTrue();
      assertThat(wire.read()).isEqualTo(Wire.bulk("behind"));
    }
  }

  @Test
  void aPartWithACutReplyIsRetriedCompletely() {
    try (RespClient wire = proxy.connect()) {
      relay.cutAfter(Direction.BACK, LARGE / 2, End.FIN);
      wire.send("MGET", otherTag + "k", tag + "large", tag + "k");
      awaitCut();

      String reply = wire.read();
      String start = "*3\r\n" + Wire.bulk("there") + "$" + LARGE + "\r\n";
      assertThat(reply).startsWith(start).endsWith("\r\n" + Wire.bulk("here"));
      assertThat(reply).hasSize(start.length() + LARGE + 2 + Wire.bulk("here").length());
      assertThat(wire.call("ECHO", "behind")).isEqualTo(Wire.bulk("behind"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClientWithPartOfACutReplyIsClosed(End end) {
    try (RespClient wire = proxy.connect();
        RespClient bystander = proxy.connect()) {
      relay.cutAfter(Direction.BACK, LARGE / 2, end);
      wire.write(Wire.request("GET", tag + "large")).write(Wire.request("ECHO", "behind")).flush();

      String got = wire.readToEnd();
      assertThat(relay.isCutPending()).isFalse();
      assertThat(got.length()).isLessThanOrEqualTo(LARGE / 2);
      assertThat(("$" + LARGE + "\r\n" + Wire.text(large)).startsWith(got)).isTrue();
      assertThat(bystander.call("GET", tag + "k")).isEqualTo(Wire.bulk("here"));
    }
  }

  private static void awaitCut() {
    Awaitility.await("the connection is cut").until(() -> !relay.isCutPending());
  }

  private long lostConnections() {
    return proxy.stats().nodes().stream().mapToLong(NodeStats::errors).sum();
  }

  private static boolean isLarge(byte[] reply) {
    byte[] header = Wire.bytes("$" + LARGE + "\r\n");
    return reply.length == header.length + LARGE + 2
        && Arrays.equals(reply, 0, header.length, header, 0, header.length)
        && Arrays.equals(reply, header.length, header.length + LARGE, large, 0, LARGE);
  }
}
