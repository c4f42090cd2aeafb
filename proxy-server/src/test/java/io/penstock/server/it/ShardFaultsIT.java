package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.shards.EjectionSettings;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults of one of three servers that share the keys. */
class ShardFaultsIT {

  private static final String OK = "+OK\r\n";
  private static final String NAME = "shard.penstock.test";
  private static final Duration TIMEOUT = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(3);

  @SuppressWarnings("NullAway.Init")
  private static ShardedServers servers;

  private final String first = servers.keyOf(0, "k");
  private final String lost = servers.keyOf(1, "k");
  private final String kept = servers.keyOf(2, "k");

  @BeforeAll
  static void start() {
    servers = ShardedServers.start();
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  @BeforeEach
  void clear() {
    servers.clear();
  }

  /** Starts Penstock so that a server that has failed twice leaves the layout for some seconds. */
  private static ProxyFixture startCache() {
    return startCache(RETRY);
  }

  private static ProxyFixture startCache(Duration retry) {
    var ejection = new EjectionSettings(2, retry);
    return ProxyFixture.of(servers.upstream(ejection)).commandTimeout(TIMEOUT).startReady();
  }

  @Test
  void aShardThatIsDownFailsItsOwnKeysOnly() {
    ServerProcess down = servers.server(1);
    try (ProxyFixture proxy =
            ProxyFixture.of(servers.upstream(null))
                .commandTimeout(TIMEOUT)
                .failoverHold(Duration.ofMinutes(5)) // it would outlast the client's patience
                .startReady();
        Subscriber news = Subscriber.open(proxy, 2).to("SUBSCRIBE", "news", 1);
        RespClient wire = proxy.connect()) {
      down.kill();
      try {
        assertThat(wire.call("SET", kept, "1")).isEqualTo(OK);
        awaitUnavailable(wire, lost);
        assertThat(wire.call("GET", kept)).isEqualTo(Wire.bulk("1"));
        assertThat(wire.call("MGET", kept, lost)).startsWith("-UNAVAILABLE ");
        servers.server(2).text("PUBLISH", "news", "goes on");
        news.expect("message", "news", "goes on");
        try (Subscriber late = Subscriber.open(proxy, 2).to("SUBSCRIBE", "late", 1)) {
          servers.server(0).text("PUBLISH", "late", "too");
          late.expect("message", "late", "too");
        }
      } finally {
        down.restart();
      }
      Awaitility.await("its keys are served again")
          .untilAsserted(() -> assertThat(wire.call("SET", lost, "2")).isEqualTo(OK));
    }
  }

  private void awaitUnavailable(RespClient wire, String key) {
    Awaitility.await("an error for its keys") // the first call may be in flight
        .untilAsserted(() -> assertThat(wire.call("GET", key)).startsWith("-UNAVAILABLE "));
  }

  @Test
  void anEjectedServersKeysMoveAndComeBack() {
    ServerProcess down = servers.server(1);
    try (ProxyFixture cache = startCache();
        RespClient wire = cache.connect()) {
      wire.call("SET", lost, "before");
      down.kill();
      try {
        Awaitility.await("another server has the key")
            .untilAsserted(() -> assertThat(wire.call("SET", lost, "meanwhile")).isEqualTo(OK));
        assertThat(substitute(lost).text("GET", lost)).isEqualTo("meanwhile");
      } finally {
        down.restart();
      }
      Awaitility.await("the server has its keys again")
          .untilAsserted(() -> {
            assertThat(wire.call("SET", lost, "after")).isEqualTo(OK);
            assertThat(down.text("GET", lost)).isEqualTo("after");
          });
    }
  }

  @Test
  void theSlotsOfAnEjectedServerAreServedByOthers() {
    ServerProcess down = servers.server(1);
    try (ProxyFixture cache = startCache(Duration.ofMinutes(1));
        RespClient wire = cache.connect()) {
      down.kill();
      try {
        Awaitility.await("another server has the key")
            .untilAsserted(() -> assertThat(wire.call("SET", lost, "meanwhile")).isEqualTo(OK));
        RespUpstream upstream = cache.proxy().respUpstreams().getFirst();
        Awaitility.await("a health check has found that the server does not answer")
            .atMost(Duration.ofSeconds(20))
            .until(() -> upstream.status().nodes().stream().anyMatch(node -> !node.serves()));

        UpstreamStatus status = upstream.status();
        assertThat(status.coveredSlots()).isEqualTo(16_384);
        assertThat(status.isComplete()).isTrue();
      } finally {
        down.restart();
      }
    }
  }

  /** Returns the server that has a key while the second one is ejected. */
  private static ServerProcess substitute(String key) {
    var out = new BitSet();
    out.set(1);
    return servers.server(servers.layout().without(out).shardOf(Wire.bytes(key)));
  }

  @Test
  void aFrozenServerIsEjectedWhileItsConnectionsStay() {
    ServerProcess frozen = servers.server(1);
    try (ProxyFixture cache = startCache();
        RespClient wire = cache.connect();
        RespClient watching = cache.connect();
        RespClient blocked = cache.connect()) {
      String other = servers.keyOf(1, "other");
      assertThat(wire.call("SET", other, "before")).isEqualTo(OK);
      assertThat(watching.call("WATCH", lost)).isEqualTo(OK);
      blocked.send("BLPOP", "{" + lost + "}list", "0");
      Awaitility.await("the call blocks") // else it may block at another server
          .until(() -> frozen.text("INFO", "clients").contains("blocked_clients:1"));
      FrozenNode.freeze(frozen);
      try {
        Awaitility.await("another server has the key")
            .untilAsserted(() -> assertThat(wire.call("SET", lost, "meanwhile")).isEqualTo(OK));
        assertThat(substitute(lost).text("GET", lost)).isEqualTo("meanwhile");
        assertThat(wire.call("SET", kept, "1")).isEqualTo(OK);
        watching.call("MULTI");
        assertThat(watching.call("GET", lost)).startsWith("-");
        assertThat(watching.call("EXEC")).startsWith("-EXECABORT ");
      } finally {
        frozen.resume();
      }
      Awaitility.await("the server has its keys again")
          .untilAsserted(() -> assertThat(wire.call("GET", other)).isEqualTo(Wire.bulk("before")));
      frozen.text("RPUSH", "{" + lost + "}list", "element");
      assertThat(blocked.read())
          .as("what was in flight stays at its server")
          .isEqualTo("*2\r\n" + Wire.bulk("{" + lost + "}list") + Wire.bulk("element"));
    }
  }

  @Test
  void twoServersMayBeEjectedAndTheLastOneStays() {
    try (ProxyFixture cache = startCache();
        RespClient wire = cache.connect()) {
      servers.server(0).kill();
      servers.server(1).kill();
      try {
        Awaitility.await("the last server has all keys")
            .untilAsserted(() -> {
              assertThat(wire.call("SET", first, "1")).isEqualTo(OK);
              assertThat(wire.call("SET", lost, "2")).isEqualTo(OK);
            });
        assertThat(servers.server(2).text("GET", first)).isEqualTo("1");
        assertThat(servers.server(2).text("GET", lost)).isEqualTo("2");
      } finally {
        servers.server(0).restart();
        servers.server(1).restart();
      }
    }
  }

  @Test
  void aWrongPasswordFailsTheKeysOfItsShardOnly() {
    servers.server(1).text("CONFIG", "SET", "requirepass", "other");
    try (ProxyFixture proxy =
            ProxyFixture.of(servers.upstream(null)).commandTimeout(TIMEOUT).start();
        RespClient wire = proxy.connect()) {
      Awaitility.await("the others are served")
          .untilAsserted(() -> assertThat(wire.call("SET", kept, "1")).isEqualTo(OK));
      Awaitility.await("the reason is told")
          .untilAsserted(() ->
              assertThat(wire.call("GET", lost)).startsWith("-UNAVAILABLE ").contains("NOAUTH"));
      assertThat(wire.call("GET", kept)).isEqualTo(Wire.bulk("1"));
    } finally {
      try (RespClient admin = servers.server(1).connect()) {
        admin.call("AUTH", "other");
        admin.call("CONFIG", "SET", "requirepass", "");
      }
    }
  }

  @Test
  void aDatabaseThatOneShardLacksIsNotSelected() {
    try (ServerProcess small = ServerProcess.builder().option("databases", "2").start()) {
      var upstream = withSecond(new Endpoint(small.host(), small.port()));
      try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("SELECT", "1")).isEqualTo(OK);
        assertThat(wire.call("MSET", kept, "1", lost, "2")).isEqualTo(OK);
        assertThat(wire.call("SELECT", "2")).isEqualTo("-ERR DB index is out of range\r\n");
        assertThat(wire.call("MGET", kept, lost))
            .isEqualTo("*2\r\n" + Wire.bulk("1") + Wire.bulk("2"));
      }
    }
  }

  /** Returns the upstream with another server as the second shard. */
  private static ShardsUpstreamSettings withSecond(Endpoint node) {
    List<UpstreamSettings> shards = new ArrayList<>(servers.upstream(null).shards());
    shards.set(1, new SingleUpstreamSettings(node, null, 0));
    return new ShardsUpstreamSettings(servers.layout(), shards, false, null);
  }

  @Test
  void aServerThatMovesBehindItsNameIsFound() throws UnknownHostException {
    TestNameResolver.put(NAME, "127.0.0.2");
    try (ServerProcess moved = ServerProcess.builder().host("127.0.0.3").start()) {
      var upstream = withSecond(new Endpoint(NAME, moved.port()));
      try (ProxyFixture proxy = ProxyFixture.of(upstream).commandTimeout(TIMEOUT).start();
          RespClient wire = proxy.connect()) {
        Awaitility.await("nothing is at the first address")
            .untilAsserted(
                () -> assertThat(wire.call("SET", lost, "old")).startsWith("-UNAVAILABLE "));
        TestNameResolver.put(NAME, "127.0.0.3");

        Awaitility.await("the new address is used")
            .untilAsserted(() -> assertThat(wire.call("SET", lost, "new")).isEqualTo(OK));
        assertThat(moved.text("GET", lost)).isEqualTo("new");
      }
    }
  }

  @Test
  void errorsOfAServerAreDeliveredAndEjectNothing() {
    ServerProcess full = servers.server(1);
    try (ProxyFixture cache = startCache();
        RespClient wire = cache.connect()) {
      full.text("CONFIG", "SET", "maxmemory", "1");
      try {
        for (int i = 0; i < 5; i++) {
          assertThat(wire.call("SET", lost, "1")).startsWith("-OOM ");
        }
        assertThat(wire.call("GET", lost)).isEqualTo("$-1\r\n");
      } finally {
        full.text("CONFIG", "SET", "maxmemory", "0");
      }
    }
  }

  @Test
  void waitAsksAllShards() {
    try (ProxyFixture proxy = ProxyFixture.of(servers.upstream(null)).startReady();
        RespClient wire = proxy.connect()) {
      assertThat(wire.call("MSET", first, "0", lost, "1", kept, "2")).isEqualTo(OK);
      assertThat(wire.call("WAIT", "0", "100")).isEqualTo(":0\r\n");
      assertThat(wire.call("WAIT", "1", "100")).isEqualTo(":0\r\n");
    }
  }
}
