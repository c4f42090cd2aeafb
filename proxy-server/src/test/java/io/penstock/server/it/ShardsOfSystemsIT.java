package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Slot;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.SlotShare;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Shards that are systems themselves: a server, a Redis Cluster, and a group with sentinels. */
class ShardsOfSystemsIT {

  private static final String OK = "+OK\r\n";
  private static final int SERVER = 0;
  private static final int CLUSTER = 1;
  private static final int GROUP = 2;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static SentinelGroup group;

  @SuppressWarnings("NullAway.Init")
  private static ShardLayout layout;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy;

  @BeforeAll
  static void start() {
    server = ServerProcess.start();
    cluster = EmbeddedCluster.builder().masters(3).start();
    group = SentinelGroup.builder().replicas(1).start();
    layout =
        ShardLayout.of(
            LayoutSettings.ofSlots(
                Distribution.CAMELLIA,
                List.of(
                    new SlotShare(List.of(0), "server"),
                    new SlotShare(List.of(1, 3), "cluster"),
                    new SlotShare(List.of(2), "group"))));
    proxy =
        ProxyFixture.of(
                new ShardsUpstreamSettings(
                    layout,
                    List.of(
                        new SingleUpstreamSettings(
                            new Endpoint(server.host(), server.port()), null, 0),
                        new ClusterUpstreamSettings(
                            cluster.members().stream().map(ProxyFixture::node).toList(), null),
                        new SentinelUpstreamSettings(
                            group.sentinels().stream()
                                .map(each -> new Endpoint(each.host(), each.port()))
                                .toList(),
                            group.masterName(),
                            null,
                            0,
                            null)),
                    false,
                    null))
            .startReady();
  }

  @AfterAll
  static void stop() {
    proxy.close();
    group.close();
    cluster.close();
    server.close();
  }

  private static int shardOf(String key) {
    return layout.shardOf(Wire.bytes(key));
  }

  private static String keyOf(int shard) {
    for (int i = 0; ; i++) {
      if (shardOf(i + "k") == shard) {
        return i + "k";
      }
    }
  }

  @Test
  void keysAreWhereTheLayoutAndTheClusterHaveThem() {
    List<String> set = new ArrayList<>(List.of("MSET"));
    for (int i = 0; i < 200; i++) {
      set.addAll(List.of(i + "m", Integer.toString(i)));
    }
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call(set.toArray(String[]::new))).isEqualTo(OK);
      for (int i = 0; i < 200; i++) {
        String key = i + "m";
        String found =
            switch (shardOf(key)) {
              case SERVER -> server.text("GET", key);
              case GROUP -> group.master().text("GET", key);
              default -> cluster.masterOf(Slot.of(Wire.bytes(key))).text("GET", key);
            };
        assertThat(found).as(key).isEqualTo(Integer.toString(i));
        assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk(Integer.toString(i)));
      }
      assertThat(wire.call("DBSIZE")).isEqualTo(":200\r\n");
      assertThat(Keys.scan(wire)).hasSize(200);
      assertThat(wire.call("FLUSHALL")).isEqualTo(OK);
    }
  }

  @Test
  void aRedirectOfTheClusterChangesThatSlotOnly() {
    String key = keyOf(CLUSTER);
    int slot = Slot.of(Wire.bytes(key));
    Member from = cluster.masterOf(slot);
    Member to = cluster.masters().stream().filter(each -> each != from).findFirst().orElseThrow();
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", key, "1")).isEqualTo(OK);
      cluster.migrateSlot(slot, from, to);
      assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("1"));
      assertThat(wire.call("INCR", key)).isEqualTo(":2\r\n");
      assertThat(to.text("GET", key)).isEqualTo("2");
    }
  }

  @Test
  void aFailoverOfTheGroupIsRiddenOut() {
    String key = keyOf(GROUP);
    String other = keyOf(SERVER);
    ServerProcess old = group.master();
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("SET", key, "0")).isEqualTo(OK);
      ServerProcess now = group.failover();
      assertThat(now).isNotSameAs(old);
      assertThat(wire.call("INCR", key)).isEqualTo(":1\r\n");
      assertThat(wire.call("SET", other, "1")).isEqualTo(OK);
      assertThat(now.text("GET", key)).isEqualTo("1");
    }
  }

  @Test
  void aMessageOfTheClusterArrivesOnce() {
    try (Subscriber news = Subscriber.open(proxy, 2).to("SUBSCRIBE", "news", 1);
        RespClient wire = proxy.connect()) {
      for (int shard = 0; shard < 3; shard++) {
        String script = "return redis.call('PUBLISH', 'news', '" + shard + "')";
        wire.call("EVAL", script, "1", keyOf(shard));
        news.expect("message", "news", Integer.toString(shard));
      }
      for (Member each : cluster.masters()) {
        each.text("PUBLISH", "news", "by " + each.port());
        news.expect("message", "news", "by " + each.port());
      }
      news.expectNothing();
    }
  }
}
