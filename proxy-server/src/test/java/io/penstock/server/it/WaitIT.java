package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** WAIT over three shards with a replica each. */
@ExtendWith(SharedCluster.class)
class WaitIT {

  private static final String KEY = Keys.tag(137) + "waited";

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private RespClient wire;

  @BeforeEach
  void start(EmbeddedCluster shared) {
    cluster = shared;
    proxy = ProxyFixture.of(cluster).startReady();
    wire = proxy.connect();
  }

  @AfterEach
  void stop() {
    wire.call("DEL", KEY);
    wire.close();
    proxy.close();
  }

  @Test
  void waitsForTheReplicasOfAllShards() {
    for (int i = 0; i < 20; i++) {
      wire.write(Wire.request("SET", KEY, "v" + i)).write(Wire.request("WAIT", "1", "10000"));
      wire.flush();
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      assertThat(wire.read()).isEqualTo(":1\r\n");
      Member replica = cluster.replicasOf(cluster.masterOf(137)).getFirst();
      try (var direct = replica.server().connect()) {
        assertThat(direct.text("READONLY")).isEqualTo("OK");
        assertThat(direct.text("GET", KEY)).isEqualTo("v" + i);
      }
    }
  }

  @Test
  void replicasThatDoNotAcknowledgeInTimeDoNotCount() {
    assertThat(wire.call("WAIT", "1", "10000")).isEqualTo(":1\r\n"); // of what tests have written
    long began = System.nanoTime();
    assertThat(wire.call("WAIT", "2", "150")).isEqualTo(":1\r\n");
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isBetween(Duration.ofMillis(140), Duration.ofSeconds(10));
  }

  /** The old master is then a replica of the new one, and the only replica. */
  @Test
  void waitContinuesAfterAPlannedFailover() {
    Member master = cluster.masterOf(137);
    Member replica = cluster.replicasOf(master).getFirst();
    try {
      assertThat(wire.call("SET", KEY, "v")).isEqualTo("+OK\r\n");
      wire.send("WAIT", "2", "5000");
      cluster.failover(replica);
      assertThat(wire.read()).isEqualTo(":1\r\n");

      assertThat(wire.call("SET", KEY, "w")).isEqualTo("+OK\r\n");
      assertThat(wire.call("WAIT", "1", "10000")).isEqualTo(":1\r\n");
    } finally {
      cluster.failover(master);
    }
  }

  @Test
  void aFrozenReplicaOfAnyShardDoesNotCount() {
    Member replica = cluster.replicasOf(cluster.masterOf(137)).getFirst();
    FrozenNode.freeze(replica);
    try {
      assertThat(wire.call("SET", KEY, "v")).isEqualTo("+OK\r\n");
      assertThat(wire.call("WAIT", "1", "100")).isEqualTo(":0\r\n");
    } finally {
      replica.server().resume();
    }
    assertThat(wire.call("WAIT", "1", "10000")).isEqualTo(":1\r\n");
  }
}
