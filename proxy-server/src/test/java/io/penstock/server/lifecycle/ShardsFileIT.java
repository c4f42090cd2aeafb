package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.cluster.Slot;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.server.it.DispatchMode;
import io.penstock.server.it.SharedCluster;
import io.penstock.server.it.SharedGroup;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A file with shards of each kind, in front of real servers. */
@Tag(DispatchMode.ANY)
@ExtendWith({SharedCluster.class, SharedGroup.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShardsFileIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int KEYS = 60;

  private final EmbeddedCluster cluster;
  private final SentinelGroup group;
  private final ServerProcess plain = ServerProcess.start();
  private final ServerProcess secured = ServerProcess.builder().password("s3cret").start();
  private final ServerProcess fragile = ServerProcess.start();

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  ShardsFileIT(EmbeddedCluster cluster, SentinelGroup group) {
    this.cluster = cluster;
    this.group = group;
  }

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("application.yml");
    Files.writeString(file, configuration());
    penstock = RunningPenstock.startWith(file);
    await().atMost(PATIENCE).until(() -> penstock.status("health/readiness") == 200);
  }

  private String configuration() {
    return """
    penstock:
      event-loops: 1
      backend: { command-timeout: 1s }
      listeners:
        cache: { bind: 127.0.0.1, port: 0, upstream: cache }
        codis: { bind: 127.0.0.1, port: 0, upstream: old-codis }
        buckets: { bind: 127.0.0.1, port: 0, upstream: buckets }
      upstreams:
        cache:
          shards:
            distribution: ketama
            hash: fnv1a_64
            hash-tag: "{}"
            auto-eject: { failures: 2, retry: 2s }
            servers:
              - "redis://@PLAIN@?weight=2&name=a&db=1"
              - { to: "redis://@FRAGILE@?db=1", name: b }
        old-codis: { shards: { distribution: codis, slots: [ { range: 0-511, to: group-1 }, { range: 512-1023, to: group-2 } ] } }
        buckets:   { shards: { distribution: camellia, hash: camellia-default, slots: [ { list: [ 0, 2, 4 ], to: "redis://:s3cret@@SECURED@" }, { list: [ 1, 3, 5 ], to: sessions } ] } }
        group-1: "@GROUP@"
        group-2: "redis://@PLAIN@"
        sessions: "@CLUSTER@"
    """
        .replace("@PLAIN@", address(plain))
        .replace("@FRAGILE@", address(fragile))
        .replace("@SECURED@", address(secured))
        .replace("@GROUP@", group.resource())
        .replace("@CLUSTER@", cluster.resource());
  }

  private static String address(ServerProcess server) {
    return server.host() + ":" + server.port();
  }

  @AfterAll
  void stop() {
    penstock.close();
    fragile.close();
    secured.close();
    plain.close();
  }

  private RespClient connect(String listener) {
    ProxyListener found =
        penstock.bean(Proxy.class).listeners().stream()
            .filter(each -> each.name().equals(listener))
            .findFirst()
            .orElseThrow();
    return RespClient.open("127.0.0.1", Objects.requireNonNull(found.address()).getPort());
  }

  private ShardLayout layout(String upstream) {
    ProxySettings settings = penstock.bean(ProxySettings.class);
    return ((ShardsUpstreamSettings) settings.respUpstream(upstream).kind()).layout();
  }

  /** Writes keys through a listener, and reads each from the shard that the layout names. */
  private void verify(
      String listener, String upstream, Map<String, Function<String, String>> shards) {
    ShardLayout layout = layout(upstream);
    assertThat(layout.shards()).containsExactlyInAnyOrderElementsOf(shards.keySet());
    try (RespClient client = connect(listener)) {
      List<String> set = new ArrayList<>(List.of("MSET"));
      for (int i = 0; i < KEYS; i++) {
        set.addAll(List.of(i + ":" + listener, Integer.toString(i)));
      }
      assertThat(client.call(set.toArray(String[]::new))).isEqualTo("+OK\r\n");
      for (int i = 0; i < KEYS; i++) {
        String key = i + ":" + listener;
        String shard = layout.shards().get(layout.shardOf(Wire.bytes(key)));
        assertThat(Objects.requireNonNull(shards.get(shard)).apply(key))
            .as("%s at %s", key, shard)
            .isEqualTo(Integer.toString(i));
        assertThat(client.call("GET", key)).isEqualTo(Wire.bulk(Integer.toString(i)));
      }
    }
  }

  private static String get(ServerProcess server, int database, String key) {
    try (RespClient direct = server.connect()) {
      assertThat(direct.text("SELECT", Integer.toString(database))).isEqualTo("OK");
      return direct.text("GET", key);
    }
  }

  @Test
  void keysAreOnTheServersOfTheRing() {
    verify(
        "cache", "cache", Map.of("a", key -> get(plain, 1, key), "b", key -> get(fragile, 1, key)));
  }

  @Test
  void slotsOfCodisAreAtASentinelGroupAndAServer() {
    verify(
        "codis",
        "old-codis",
        Map.of(
            "group-1", key -> get(group.master(), 0, key), "group-2", key -> get(plain, 0, key)));
  }

  @Test
  void bucketsOfCamelliaAreAtAServerAndACluster() {
    verify(
        "buckets",
        "buckets",
        Map.of(
            address(secured),
            key -> get(secured, 0, key),
            "sessions",
            key -> cluster.masterOf(Slot.of(Wire.bytes(key))).text("GET", key)));
  }

  @Test
  void anEjectionAndAReturnAreCounted() {
    ShardLayout layout = layout("cache");
    int i = 0;
    while (layout.shardOf(Wire.bytes(i + ":lost")) == 0) {
      i++;
    }
    String key = i + ":lost";
    fragile.kill();
    try (RespClient client = connect("cache")) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(client.call("SET", key, "1")).isEqualTo("+OK\r\n"));
      assertThat(get(plain, 1, key)).isEqualTo("1");
      await().atMost(PATIENCE).until(() -> hasCounted("penstock_node_ejections_total"));
    } finally {
      fragile.restart();
    }
    await().atMost(PATIENCE).until(() -> hasCounted("penstock_node_readmissions_total"));
    try (RespClient client = connect("cache")) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            assertThat(client.call("SET", key, "2")).isEqualTo("+OK\r\n");
            assertThat(get(fragile, 1, key)).isEqualTo("2");
          });
    }
  }

  private boolean hasCounted(String name) {
    String series = name + "{node=\"" + address(fragile) + "\",upstream=\"cache\"} ";
    return penstock
        .get("prometheus")
        .body()
        .lines()
        .anyMatch(line -> line.startsWith(series) && !line.equals(series + "0.0"));
  }
}
