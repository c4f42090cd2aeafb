package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Slot;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.Division;
import io.penstock.core.division.PrefixDivision;
import io.penstock.core.division.WeightedDivision;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A single server and a cluster, between which the prefix or the weight of keys decides. */
@ExtendWith(SharedCluster.class)
class DividedUpstreamsIT {

  private static final String OK = "+OK\r\n";
  private static final String CROSS_SLOT =
      "-CROSSSLOT Keys in request don't hash to the same slot\r\n";

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess other;

  @BeforeAll
  static void start() {
    server = ServerProcess.start();
    other = ServerProcess.start();
  }

  @AfterAll
  static void stop() {
    server.close();
    other.close();
  }

  @BeforeEach
  void empty(EmbeddedCluster shared) {
    cluster = shared;
    server.text("FLUSHALL");
    other.text("FLUSHALL");
    shared.masters().forEach(master -> master.text("FLUSHALL"));
  }

  private static UpstreamSettings single(ServerProcess server) {
    return new SingleUpstreamSettings(new Endpoint(server.host(), server.port()), null, 0);
  }

  private UpstreamSettings ofCluster() {
    return new ClusterUpstreamSettings(
        cluster.members().stream().map(ProxyFixture::node).toList(), null);
  }

  private ProxyFixture proxy(Division division) {
    var parts = List.of(single(server), ofCluster());
    return ProxyFixture.of(new DividedUpstreamSettings(division, parts)).startReady();
  }

  private ProxyFixture byPrefix() {
    return proxy(new PrefixDivision(Map.of("c:", 1), 0, 2));
  }

  private String atCluster(String key) {
    return cluster.masterOf(Slot.of(Wire.bytes(key))).text("GET", key);
  }

  @Test
  void aKeyIsWhereItsPrefixBelongs() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      assertThat(client.call("MSET", "c:1", "a", "c:2", "b", "other", "c")).isEqualTo(OK);

      assertThat(List.of(atCluster("c:1"), atCluster("c:2"), server.text("GET", "other")))
          .containsExactly("a", "b", "c");
      assertThat(client.call("MGET", "other", "c:2", "c:1"))
          .isEqualTo("*3\r\n" + Wire.bulk("c") + Wire.bulk("b") + Wire.bulk("a"));
    }
  }

  @Test
  void keysOfSeveralUpstreamsAreRefusedAsInACluster() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      assertThat(client.call("RENAME", "c:1", "other")).isEqualTo(CROSS_SLOT);
      assertThat(client.call("EVAL", "return 1", "2", "c:1", "other")).isEqualTo(CROSS_SLOT);
      assertThat(client.call("WATCH", "c:1", "other")).isEqualTo(CROSS_SLOT);
    }
  }

  @Test
  void keysOfSeveralUpstreamsAreDividedWhereTheyCanBe() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      assertThat(client.call("MSET", "c:1", "a", "c:2", "b", "other", "c")).isEqualTo(OK);
      assertThat(client.call("EXISTS", "c:1", "other", "none")).isEqualTo(":2\r\n");
      assertThat(client.call("TOUCH", "c:1", "c:2", "other")).isEqualTo(":3\r\n");
      assertThat(client.call("DEL", "c:1", "other")).isEqualTo(":2\r\n");
      assertThat(client.call("UNLINK", "c:2", "none")).isEqualTo(":1\r\n");
      assertThat(client.call("DBSIZE")).isEqualTo(":0\r\n");
    }
  }

  @Test
  void scriptsAndFunctionsAreEverywhere() {
    String library =
        "#!lua name=lib\nredis.register_function('f', function(keys) return redis.call('INCR', keys[1]) end)";
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      String script = client.text("SCRIPT", "LOAD", "return redis.call('INCR', KEYS[1])");
      client.call("FUNCTION", "LOAD", "REPLACE", library);
      for (String key : List.of("c:1", "other")) {
        assertThat(client.call("EVALSHA", script, "1", key)).isEqualTo(":1\r\n");
        assertThat(client.call("FCALL", "f", "1", key)).isEqualTo(":2\r\n");
      }
      assertThat(client.call("EVAL", "return 7", "0")).isEqualTo(":7\r\n");
      assertThat(server.text("SCRIPT", "EXISTS", script)).isEqualTo("[1]");
      assertThat(client.call("FUNCTION", "FLUSH")).isEqualTo(OK);
    }
  }

  /** The masters of the cluster have a replica each, and the server has none. */
  @Test
  void waitAnswersTheSmallestNumberOfAllUpstreams() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      client.call("MSET", "c:1", "a", "other", "c");

      assertThat(client.call("WAIT", "1", "100")).isEqualTo(":0\r\n");
    }
  }

  @Test
  void aShardChannelIsInOneUpstream() {
    try (ProxyFixture proxy = byPrefix();
        Subscriber cluster = Subscriber.open(proxy, 3).to("SSUBSCRIBE", "c:news", 1);
        Subscriber single = Subscriber.open(proxy, 3).to("SSUBSCRIBE", "news", 1);
        RespClient client = proxy.connect()) {
      assertThat(client.call("SPUBLISH", "c:news", "1")).isEqualTo(":1\r\n");
      cluster.expect("smessage", "c:news", "1");
      assertThat(server.text("SPUBLISH", "news", "2")).isEqualTo("1");
      single.expect("smessage", "news", "2");
    }
  }

  @Test
  void keyspaceEventsComeFromAllUpstreams() {
    notifyOfEvents("KEA");
    try (ProxyFixture proxy = byPrefix();
        Subscriber sets = Subscriber.open(proxy, 3).to("SUBSCRIBE", "__keyevent@0__:set", 1);
        RespClient client = proxy.connect()) {
      for (String key : List.of("c:1", "other")) {
        client.call("SET", key, "v");
        sets.expect("message", "__keyevent@0__:set", key);
      }
      sets.expectNothing();
    } finally {
      notifyOfEvents("");
    }
  }

  private void notifyOfEvents(String events) {
    server.text("CONFIG", "SET", "notify-keyspace-events", events);
    cluster.members().forEach(each -> each.text("CONFIG", "SET", "notify-keyspace-events", events));
  }

  @Test
  void aDatabaseMustBeInAllUpstreams() {
    var servers = List.<UpstreamSettings>of(single(server), single(other));
    var divided = new DividedUpstreamSettings(new PrefixDivision(Map.of("o:", 1), 0, 2), servers);
    try (ProxyFixture two = ProxyFixture.of(divided).startReady();
        ProxyFixture withCluster = byPrefix();
        RespClient client = two.connect();
        RespClient ofCluster = withCluster.connect()) {
      assertThat(client.call("SELECT", "3")).isEqualTo(OK);
      assertThat(client.call("MSET", "o:1", "a", "1", "b")).isEqualTo(OK);
      assertThat(other.text("INFO", "keyspace")).contains("db3:keys=1");
      assertThat(server.text("INFO", "keyspace")).contains("db3:keys=1");
      assertThat(ofCluster.call("SELECT", "3")).startsWith("-ERR ");
    }
  }

  /** No key name of Penstock's own begins with these prefixes. */
  @Test
  void commandsOverPrefixesAreCarriedOutWhicheverTheyAre() {
    var rules = new PrefixDivision(Map.of("a:", 0, "c:", 1, "b:", 2), 0, 3);
    var parts = List.of(single(server), ofCluster(), single(other));
    try (ProxyFixture proxy =
            ProxyFixture.of(new DividedUpstreamSettings(rules, parts))
                .emulatesCrossSlot()
                .startReady();
        RespClient client = proxy.connect()) {
      for (String key : List.of("a:s", "b:s", "c:s", "c:t", "s")) {
        client.call("SADD", key, "1", key);
      }
      for (String[] keys :
          List.of(
              new String[] {"b:s", "c:s"},
              new String[] {"c:s", "b:s"},
              new String[] {"c:s", "c:t"},
              new String[] {"a:s", "b:s"},
              new String[] {"b:s", "s"})) {
        assertThat(client.call("SINTER", keys[0], keys[1]))
            .as(keys[0] + " " + keys[1])
            .isEqualTo("*1\r\n" + Wire.bulk("1"));
      }
      assertThat(client.call("SUNIONSTORE", "c:d", "a:s", "b:s")).isEqualTo(":3\r\n");
      assertThat(client.call("RENAME", "c:d", "b:d")).isEqualTo(OK);
      assertThat(client.call("SCARD", "b:d")).isEqualTo(":3\r\n");
    }
  }

  /** The cluster by prefix; of what remains, the place in a ring of two servers. */
  @Test
  void aPartMayHaveShards() {
    LayoutSettings ring =
        LayoutSettings.ofServers(
            Distribution.KETAMA,
            List.of(new ShardServer("a", "a", 1), new ShardServer("b", "b", 1)));
    var shards =
        new ShardsUpstreamSettings(
            ShardLayout.of(ring), List.of(single(server), single(other)), false, null);
    var divided =
        new DividedUpstreamSettings(
            new PrefixDivision(Map.of("c:", 0), 1, 2), List.of(ofCluster(), shards));
    try (ProxyFixture proxy = ProxyFixture.of(divided).startReady();
        Subscriber news = Subscriber.open(proxy, 2).to("SUBSCRIBE", "news", 1);
        RespClient client = proxy.connect()) {
      for (int i = 0; i < 50; i++) {
        assertThat(client.call("MSET", "c:" + i, "v", "k" + i, "v")).isEqualTo(OK);
      }
      assertThat(client.call("DBSIZE")).isEqualTo(":100\r\n");
      assertThat(Keys.scan(client)).hasSize(100);
      assertThat(List.of(server, other))
          .allMatch(each -> Integer.parseInt(each.text("DBSIZE")) > 5);
      server.text("PUBLISH", "news", "1");
      news.expect("message", "news", "1");
      other.text("PUBLISH", "news", "2");
      news.expect("message", "news", "2");
      cluster.masters().getFirst().text("PUBLISH", "news", "3");
      news.expect("message", "news", "3");
      news.expectNothing();
    }
  }

  @Test
  void whatConcernsAllKeysGoesToAllUpstreams() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      for (int i = 0; i < 20; i++) {
        client.call("MSET", "c:" + i, "v", "k" + i, "v");
      }

      assertThat(client.call("DBSIZE")).isEqualTo(":40\r\n");
      assertThat(Keys.scan(client)).hasSize(40);
      assertThat(client.call("KEYS", "c:1")).isEqualTo("*1\r\n" + Wire.bulk("c:1"));
      assertThat(client.call("FLUSHALL")).isEqualTo(OK);
      assertThat(server.text("DBSIZE")).isEqualTo("0");
      assertThat(client.call("DBSIZE")).isEqualTo(":0\r\n");
    }
  }

  @Test
  void aTransactionRunsWhereItsKeysAre() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect()) {
      for (String key : List.of("c:1", "other")) {
        assertThat(client.call("WATCH", key)).isEqualTo(OK);
        assertThat(client.call("MULTI")).isEqualTo(OK);
        assertThat(client.call("INCR", key)).isEqualTo("+QUEUED\r\n");
        assertThat(client.call("EXEC")).isEqualTo("*1\r\n:1\r\n");
      }
      assertThat(List.of(atCluster("c:1"), server.text("GET", "other"))).containsOnly("1");
    }
  }

  @Test
  void aBlockedClientGetsWhatIsPushedThere() {
    try (ProxyFixture proxy = byPrefix();
        RespClient client = proxy.connect();
        RespClient waiting = proxy.connect()) {
      for (String key : List.of("c:list", "list")) {
        waiting.send("BLPOP", key, "10");
        assertThat(client.call("RPUSH", key, "x")).isEqualTo(":1\r\n");
        assertThat(waiting.read()).isEqualTo("*2\r\n" + Wire.bulk(key) + Wire.bulk("x"));
      }
    }
  }

  @Test
  void aMessageArrivesOnceFromWhicheverUpstream() {
    try (ProxyFixture proxy = byPrefix();
        Subscriber news = Subscriber.open(proxy, 2).to("SUBSCRIBE", "c:news", 1);
        RespClient client = proxy.connect()) {
      client.call("PUBLISH", "c:news", "by a client");
      news.expect("message", "c:news", "by a client");
      server.text("PUBLISH", "c:news", "at the server");
      news.expect("message", "c:news", "at the server");
      cluster.masters().getFirst().text("PUBLISH", "c:news", "at the cluster");
      news.expect("message", "c:news", "at the cluster");
      news.expectNothing();
    }
  }

  @Test
  void aWeightSelectsItsShareOfTheKeys() {
    try (ProxyFixture proxy = proxy(new WeightedDivision(List.of(80, 20)));
        RespClient client = proxy.connect()) {
      for (int i = 0; i < 500; i++) {
        client.call("SET", "key:" + i, "v");
      }

      assertThat(Integer.parseInt(server.text("DBSIZE"))).isBetween(370, 430);
      assertThat(client.call("DBSIZE")).isEqualTo(":500\r\n");
    }
  }
}
