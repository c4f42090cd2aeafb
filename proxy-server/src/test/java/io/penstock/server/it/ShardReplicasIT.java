package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.SlotShare;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads from replicas of shards: a master with a replica, a cluster, and a server without any. */
@ExtendWith(SharedCluster.class)
class ShardReplicasIT {

  private static final String PORT =
      "return tonumber(string.match(redis.call('INFO', 'server'), 'tcp_port:(%d+)'))";
  private static final int PAIR = 0;
  private static final int CLUSTER = 1;
  private static final int ALONE = 2;

  private final EmbeddedCluster cluster;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final ShardLayout layout =
      ShardLayout.of(
          LayoutSettings.ofSlots(
              Distribution.CAMELLIA,
              List.of(
                  new SlotShare(List.of(PAIR), "pair"),
                  new SlotShare(List.of(CLUSTER), "cluster"),
                  new SlotShare(List.of(ALONE), "alone"))));

  ShardReplicasIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void start() {
    ReferenceServer.assumeAtLeast(7, 0, "EVAL_RO");
    for (int i = 0; i < 3; i++) {
      servers.add(ServerProcess.start());
    }
    ServerProcess master = servers.get(0);
    servers.get(1).text("REPLICAOF", master.host(), Integer.toString(master.port()));
    try (RespClient admin = master.connect()) {
      admin.call("SET", "before", "v");
      assertThat(admin.call("WAIT", "1", "20000")).as("it follows").isEqualTo(":1\r\n");
    }
  }

  @AfterEach
  void stop() {
    servers.forEach(ServerProcess::close);
  }

  private Endpoint node(int server) {
    return new Endpoint(servers.get(server).host(), servers.get(server).port());
  }

  private UpstreamSettings upstream() {
    return new ShardsUpstreamSettings(
        layout,
        List.of(
            new SingleUpstreamSettings(node(0), null, 0).withReplicas(List.of(node(1))),
            new ClusterUpstreamSettings(
                cluster.members().stream().map(ProxyFixture::node).toList(), null),
            new SingleUpstreamSettings(node(2), null, 0)),
        false,
        null);
  }

  private String keyOf(int shard) {
    for (int i = 0; ; i++) {
      if (layout.shardOf(Wire.bytes("k" + i)) == shard) {
        return "k" + i;
      }
    }
  }

  @Test
  void readsGoToTheReplicasOfTheShard() {
    Set<Integer> replicas =
        cluster.masters().stream()
            .flatMap(master -> cluster.replicasOf(master).stream())
            .map(Member::port)
            .collect(Collectors.toSet());
    try (ProxyFixture proxy =
            ProxyFixture.of(upstream())
                .reads(ReadSettings.of(ReadFrom.REPLICA_PREFERRED))
                .startReady();
        RespClient writer = proxy.connect()) {
      for (int shard = 0; shard < 3; shard++) {
        assertThat(writer.call("SET", keyOf(shard), "v")).isEqualTo("+OK\r\n");
      }
      Awaitility.await("the replica of the pair").until(() -> portOf(proxy, PAIR) == port(1));
      Awaitility.await("a replica of the cluster")
          .until(() -> replicas.contains(portOf(proxy, CLUSTER)));
      assertThat(portOf(proxy, ALONE)).as("no replica").isEqualTo(port(2));
      assertThat(writer.call("GET", keyOf(PAIR))).isEqualTo(Wire.bulk("v"));
      writer.call("DEL", keyOf(CLUSTER));
    }
  }

  @Test
  void aReplicaThatIsDownIsReplacedByItsMaster() {
    try (ProxyFixture proxy =
        ProxyFixture.of(upstream())
            .reads(ReadSettings.of(ReadFrom.REPLICA_PREFERRED))
            .startReady()) {
      Awaitility.await("the replica").until(() -> portOf(proxy, PAIR) == port(1));
      servers.get(1).kill();
      Awaitility.await("its master").until(() -> portOf(proxy, PAIR) == port(0));
      servers.get(1).restart();
      servers.get(1).text("REPLICAOF", servers.get(0).host(), Integer.toString(port(0)));
      Awaitility.await("the replica again").until(() -> portOf(proxy, PAIR) == port(1));
    }
  }

  private int port(int server) {
    return servers.get(server).port();
  }

  /** Returns the port of the node that serves a read of a new client. */
  private int portOf(ProxyFixture proxy, int shard) {
    try (RespClient client = proxy.connect()) {
      return Integer.parseInt(client.call("EVAL_RO", PORT, "1", keyOf(shard)).strip().substring(1));
    }
  }
}
