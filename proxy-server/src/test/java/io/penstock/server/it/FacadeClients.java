package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.FreePorts;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisProtocol;

/** Cluster clients of two Penstocks that present themselves as one cluster. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("deprecation") // JedisCluster has a successor, but applications use it
abstract class FacadeClients {

  private static final int KEYS = 300;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture one;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture two;

  /** Starts both proxies; each is the given fixture with its port and its place among the nodes. */
  void use(Supplier<ProxyFixture.Builder> proxy) {
    int first = FreePorts.take("127.0.0.1");
    int second = FreePorts.take("127.0.0.1");
    List<Endpoint> nodes =
        List.of(new Endpoint("127.0.0.1", first), new Endpoint("127.0.0.1", second));
    one = start(proxy.get(), nodes, first);
    two = start(proxy.get(), nodes, second);
  }

  private static ProxyFixture start(ProxyFixture.Builder proxy, List<Endpoint> nodes, int port) {
    return proxy.port(port).facade(new ClusterFacade(nodes, "127.0.0.1", port)).startReady();
  }

  ProxyFixture one() {
    return one;
  }

  @AfterAll
  void stopProxies() {
    for (ProxyFixture proxy : List.of(one, two)) {
      proxy.close();
      FreePorts.giveBack(proxy.port());
    }
  }

  private static long commandsOf(ProxyFixture proxy, String command) {
    return proxy.stats().commands().stream()
        .filter(stats -> stats.name().equals(command))
        .mapToLong(stats -> stats.outcomes().values().stream().mapToLong(Long::longValue).sum())
        .sum();
  }

  private static long redirects(ProxyFixture proxy) {
    return proxy.stats().errors().getOrDefault("MOVED", 0L)
        + proxy.stats().errors().getOrDefault("ASK", 0L);
  }

  @Test
  void jedisClusterUsesAllProxies() {
    long before = commandsOf(two, "SET");
    var config = DefaultJedisClientConfig.builder().protocol(RedisProtocol.RESP3).build();
    try (JedisCluster jedis =
        new JedisCluster(Set.of(new HostAndPort(one.host(), one.port())), config)) {
      assertThat(jedis.getClusterNodes())
          .containsOnlyKeys(one.host() + ":" + one.port(), two.host() + ":" + two.port());
      for (int i = 0; i < KEYS; i++) {
        assertThat(jedis.set("facade:jedis:" + i, "v" + i)).isEqualTo("OK");
      }
      for (int i = 0; i < KEYS; i++) {
        assertThat(jedis.get("facade:jedis:" + i)).isEqualTo("v" + i);
      }
      jedis.mset("{facade}a", "1", "{facade}b", "2");
      assertThat(jedis.mget("{facade}a", "{facade}b")).containsExactly("1", "2");
    }
    assertThat(commandsOf(two, "SET") - before).isBetween(KEYS / 4L, KEYS * 3L / 4);
    assertThat(redirects(one) + redirects(two)).isZero();
  }

  @Test
  void lettuceClusterClientUsesAllProxies() {
    long before = commandsOf(two, "SET");
    RedisURI uri =
        RedisURI.builder()
            .withHost(one.host())
            .withPort(one.port())
            .withTimeout(Duration.ofSeconds(10))
            .build();
    RedisClusterClient client = RedisClusterClient.create(uri);
    try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
      RedisAdvancedClusterCommands<String, String> redis = connection.sync();
      assertThat(client.getPartitions()).hasSize(2);
      for (int i = 0; i < KEYS; i++) {
        assertThat(redis.set("facade:lettuce:" + i, "v" + i)).isEqualTo("OK");
      }
      Map<String, String> many = new HashMap<>();
      for (int i = 0; i < KEYS; i++) {
        assertThat(redis.get("facade:lettuce:" + i)).isEqualTo("v" + i);
        many.put("facade:many:" + i, "m" + i);
      }
      assertThat(redis.mset(many)).isEqualTo("OK");
      assertThat(redis.del(many.keySet().toArray(String[]::new))).isEqualTo(KEYS);
      assertThat(redis.clusterInfo()).contains("cluster_state:ok");
      assertThat(redis.clusterMyId()).hasSize(40);
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
    }
    assertThat(commandsOf(two, "SET") - before).isBetween(KEYS / 4L, KEYS * 3L / 4);
    assertThat(redirects(one) + redirects(two)).isZero();
  }

  @Test
  void eachProxyServesEverySlot() {
    try (RespClient wire = one.connect();
        RespClient other = two.connect()) {
      for (int i = 0; i < 50; i++) {
        assertThat(wire.call("SET", "facade:any:" + i, "x")).isEqualTo("+OK\r\n");
        assertThat(other.call("GET", "facade:any:" + i)).isEqualTo(Wire.bulk("x"));
      }
      assertThat(wire.call("CLUSTER", "SLOTS")).isEqualTo(other.call("CLUSTER", "SLOTS"));
      assertThat(wire.call("CLUSTER", "SHARDS")).isEqualTo(other.call("CLUSTER", "SHARDS"));
      assertThat(wire.call("CLUSTER", "MYID")).isNotEqualTo(other.call("CLUSTER", "MYID"));
    }
  }

  @Test
  void infoAndHelloReportAClusterMode() {
    try (RespClient wire = one.connect()) {
      assertThat(wire.call("HELLO")).contains("$4\r\nmode\r\n$7\r\ncluster\r\n");
      assertThat(Wire.content(wire.call("INFO")))
          .contains("redis_mode:cluster\r\n", "cluster_enabled:1\r\n", "tcp_port:" + one.port());
    }
  }
}
