package io.penstock.core.discovery;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.TopologySettings;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against server processes, through Lettuce. */
class ClusterTopologyIT {

  private static final Endpoint CLOSED_PORT = new Endpoint("127.0.0.1", 1);
  private static final Endpoint NO_SUCH_NAME = new Endpoint("no-such-name.invalid", 7000);
  private static final Credentials PASSWORD = new Credentials(null, "s3cret");

  private @Nullable EmbeddedCluster cluster;
  private final List<ControlPlane> controls = new ArrayList<>();

  @BeforeEach
  void startCluster() {
    cluster =
        EmbeddedCluster.builder()
            .replicas(1)
            .password("s3cret")
            .nodeTimeout(Duration.ofSeconds(1))
            .option("cluster-replica-validity-factor", "0")
            .option("cluster-require-full-coverage", "no")
            .start();
  }

  @AfterEach
  void stopAll() {
    for (ControlPlane control : controls) {
      var closed = control.close().toCompletableFuture();
      await().until(closed::isDone);
    }
    if (cluster != null) {
      cluster.close();
    }
    await().until(() -> threads().isEmpty());
  }

  @Test
  void follows_a_cluster_through_freeze_and_failover() {
    List<Member> members = requireNonNull(cluster).members();
    Endpoint first = withPassword(members.getFirst());
    Endpoint replica = withPassword(members.get(3));
    ClusterTopology topology = topology(PASSWORD, CLOSED_PORT, NO_SUCH_NAME, node(members.get(1)));
    await().until(() -> topology.current().isFullyCovered());
    Shard shard = requireNonNull(topology.current().shardOf(0));
    assertThat(shard).isEqualTo(new Shard(first, List.of(replica), 1));
    await().untilAsserted(() -> assertThat(topology.status().nodes()).hasSize(6));
    assertThat(threads()).containsExactlyInAnyOrder("penstock-topology", "penstock-topology-io");

    members.get(1).pause();
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    await().until(() -> lastRefresh(topology).trigger() == RefreshTrigger.RECONNECT);
    assertThat(lastRefresh(topology).isSuccess()).isTrue();
    // The node is still frozen: the refresh did not wait for it.
    members.get(1).resume();

    topology.moved(0, withPassword(members.get(2)));
    assertThat(master(topology, 0)).isEqualTo(withPassword(members.get(2)));
    await().until(() -> master(topology, 0).equals(first));

    members.getFirst().kill();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          topology.requestRefresh(RefreshTrigger.RECONNECT);
          return master(topology, 0).equals(replica);
        });
    assertThat(requireNonNull(topology.current().shardOf(0)).configEpoch()).isGreaterThan(6);
    assertThat(topology.current().isFullyCovered()).isTrue();
  }

  @Test
  void names_nodes_as_the_cluster_prefers_and_authenticates() {
    List<Member> members = requireNonNull(cluster).members();
    for (Member member : members) {
      member.text("ACL", "SETUSER", "penstock", "on", ">pw", "+cluster|nodes", "+cluster|shards");
    }
    Credentials user = new Credentials("penstock", "pw");
    ClusterTopology topology = topology(user, node(members.get(2)));
    await().until(() -> topology.current().isFullyCovered());
    assertThat(master(topology, 0)).isEqualTo(node(members.getFirst()).with(new Access(user, 0)));

    for (Member member : members) {
      member.text("CONFIG", "SET", "cluster-announce-hostname", "localhost");
    }
    refreshUntil(topology, "127.0.0.1");
    for (Member member : members) {
      member.text("CONFIG", "SET", "cluster-preferred-endpoint-type", "hostname");
    }
    refreshUntil(topology, "localhost");
    assertThat(topology.current().isFullyCovered()).isTrue();
  }

  @Test
  void the_failure_names_the_reason_for_each_node() {
    ClusterTopology topology =
        topology(
            new Credentials(null, "wrong"), node(requireNonNull(cluster).members().getFirst()));
    await().until(() -> topology.status().failuresInARow() > 1);
    await() // a busy machine may take longer than the timeout of a second at first
        .untilAsserted(() -> assertThat(lastRefresh(topology).failure()).contains("WRONGPASS"));
  }

  private static void refreshUntil(ClusterTopology topology, String host) {
    await()
        .atMost(Duration.ofSeconds(15))
        .until(() -> {
          topology.requestRefresh(RefreshTrigger.UNKNOWN_NODE);
          return topology.current().shards().stream()
              .allMatch(shard -> shard.master().host().equals(host));
        });
  }

  private ClusterTopology topology(Credentials credentials, Endpoint... seeds) {
    ControlPlane control = ControlPlane.create(Duration.ofSeconds(1));
    controls.add(control);
    ClusterTopology topology =
        ClusterTopology.create(
            new TopologySettings(
                Stream.of(seeds).map(seed -> seed.with(new Access(credentials, 0))).toList(),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofMillis(100)),
            control,
            ProxyEvents.NONE);
    topology.start();
    return topology;
  }

  private static Endpoint withPassword(Member member) {
    return node(member).with(new Access(PASSWORD, 0));
  }

  private static Endpoint node(Member member) {
    return new Endpoint(member.host(), member.port());
  }

  private static TopologyStatus.Refreshed lastRefresh(ClusterTopology topology) {
    return requireNonNull(topology.status().lastRefresh());
  }

  private static Endpoint master(ClusterTopology topology, int slot) {
    return requireNonNull(topology.current().shardOf(slot)).master();
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("penstock-topology"))
        .toList();
  }
}
