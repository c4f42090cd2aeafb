package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.assembly.ProxySettings.Shadow;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.division.WeightedDivision;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.observe.ShadowStats.Skipped;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads that go to a copy too, in front of real servers. */
@ExtendWith(SharedCluster.class)
class ShadowReadsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int ALL = 10_000;

  private final ServerProcess server = ServerProcess.start();
  private final ServerProcess copy = ServerProcess.start();
  private final EmbeddedCluster cluster;
  private final ChangingProxy proxy = new ChangingProxy();

  ShadowReadsIT(EmbeddedCluster cluster) {
    this.cluster = cluster;
    proxy.listener("main", "orders");
    proxy.upstream("orders", server);
    proxy.upstream("copy", copy).commandTimeout = Duration.ofMillis(300);
    proxy.shadows = List.of(new Shadow("orders", "copy", ALL));
  }

  @AfterEach
  void close() {
    proxy.close();
    Stream.of(server, copy).forEach(ServerProcess::close);
  }

  private void onBoth(Consumer<ServerProcess> action) {
    action.accept(server);
    action.accept(copy);
  }

  private ShadowStats stats() {
    return stats("orders");
  }

  private ShadowStats stats(String upstream) {
    return Objects.requireNonNull(
            ProxyFixture.await(proxy.proxy().statsByName()).upstreams().get(upstream))
        .shadow();
  }

  private ShadowStats awaitStats(Predicate<ShadowStats> wanted) {
    return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(this::stats, wanted);
  }

  @Test
  void equalDataDoesNotDifferAndAChangedKeyDoes() {
    String large = "x".repeat(2_000_000);
    String[] forward = IntStream.range(0, 2_000).mapToObj(i -> "m" + i).toArray(String[]::new);
    String[] backward =
        IntStream.range(0, 2_000).mapToObj(i -> "m" + (1999 - i)).toArray(String[]::new);
    onBoth(each -> each.text("SET", "large", large));
    onBoth(each -> each.text("SET", "k", "v"));
    add(server, forward);
    add(copy, backward);
    server.text("HSET", "hash", "a", "1", "b", "2", "c", "3");
    copy.text("HSET", "hash", "c", "3", "b", "2", "a", "1");
    proxy.start();
    try (RespClient client = proxy.connect("main")) {
      for (String version : List.of("3", "2")) {
        client.call("HELLO", version);
        assertThat(compared(client, "GET", "large")).isEqualTo(Wire.bulk(large));
        compared(client, "SMEMBERS", "set");
        compared(client, "HGETALL", "hash");
        compared(client, "MGET", "k", "large", "none");
        compared(client, "LLEN", "k");
      }
      ShadowStats equal = stats();
      assertThat(equal.allDiffering() + equal.settled() + equal.allErrors()).isZero();

      copy.text("SET", "k", "other");
      assertThat(client.text("GET", "k")).isEqualTo("v");
      assertThat(awaitStats(each -> each.allDiffering() == 1).differing()).containsKey("GET");
      assertThat(client.text("INFO", "shadow")).contains("shadow_requests:11", "shadowstat_get:");
      assertThat(proxy.upstream("copy").isReady()).isTrue();
    }
  }

  /** Sends a read, and waits until the replies to all so far were found to be the same. */
  private String compared(RespClient client, String... read) {
    String reply = client.call(read);
    awaitStats(each -> each.same() == each.requests() && each.skipped().isEmpty());
    return reply;
  }

  private static void add(ServerProcess to, String[] members) {
    to.text(Stream.concat(Stream.of("SADD", "set"), Stream.of(members)).toArray(String[]::new));
  }

  @Test
  void aShadowThatIsFrozenOrDeadCostsClientsNothing() {
    onBoth(each -> each.text("SET", "k", "v"));
    proxy.start();
    try (RespClient client = proxy.connect("main")) {
      compared(client, "GET", "k"); // the shadow is connected
      FrozenNode.freeze(copy);
      for (int i = 0; i < 500; i++) {
        assertThat(client.text("GET", "k")).isEqualTo("v");
      }
      ShadowStats frozen = awaitStats(each -> each.errors().containsKey("timeout"));
      assertThat(frozen.skipped().getOrDefault(Skipped.FULL, 0L)).isPositive();

      copy.kill();
      for (int i = 0; i < 500; i++) {
        assertThat(client.text("GET", "k")).isEqualTo("v");
      }
      awaitStats(each ->
          each.errors().containsKey("unavailable") || each.errors().containsKey("connlost"));
      assertThat(stats().allDiffering()).isZero();
    }
  }

  @Test
  void theShareAndTheShadowChangeWhileClientsRun() {
    onBoth(each -> each.text("SET", "k", "v"));
    proxy.shadows = List.of();
    proxy.start();
    try (RespClient client = proxy.connect("main")) {
      client.text("GET", "k");
      assertThat(stats().isEmpty()).isTrue();
      assertThat(proxy.proxy().upstreams()).hasSize(1);

      proxy.shadows = List.of(new Shadow("orders", "copy", ALL));
      assertThat(proxy.apply().steps()).singleElement().returns("shadow", step -> step.what());
      read(client, 50);
      awaitStats(each -> each.same() == 50);

      proxy.shadows = List.of(new Shadow("orders", "copy", ALL / 10));
      proxy.apply();
      read(client, 1_000);
      assertThat(awaitStats(each -> each.same() == each.requests()).requests())
          .isBetween(80L, 350L);

      proxy.upstream("copy", server(cluster));
      proxy.shadows = List.of(new Shadow("orders", "copy", ALL));
      proxy.apply();
      await().atMost(PATIENCE).until(() -> proxy.upstream("copy").isReady());
      read(client, 1);
      awaitStats(each -> each.allDiffering() == 1);

      proxy.shadows = List.of();
      proxy.apply();
      long before = stats().requests();
      read(client, 50);
      assertThat(stats().requests()).isEqualTo(before);
      assertThat(proxy.proxy().upstreams()).hasSize(1);
    }
  }

  private static void read(RespClient client, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(client.text("GET", "k")).isEqualTo("v");
    }
  }

  private static UpstreamSettings server(EmbeddedCluster cluster) {
    return new ClusterUpstreamSettings(
        cluster.members().stream().map(ProxyFixture::node).toList(),
        cluster.password() == null ? null : new Credentials(cluster.user(), cluster.password()));
  }

  @Test
  void aClusterIsTheShadowOfASingleServer() {
    cluster.masters().stream().map(Member::server).forEach(each -> each.text("FLUSHALL"));
    proxy.upstream("copy", server(cluster));
    proxy.listener("copy", "copy");
    proxy.start();
    try (RespClient client = proxy.connect("main");
        RespClient direct = proxy.connect("copy")) {
      for (int i = 0; i < 100; i++) {
        client.call("SET", "k" + i, "v" + i);
        direct.call("SET", "k" + i, "v" + i);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(client.text("GET", "k" + i)).isEqualTo("v" + i);
      }
      client.call("MGET", "k1", "k2", "k3");
      client.call("MGET", "{k1}", "k1");
      client.call("SELECT", "1");
      client.call("GET", "k1");

      ShadowStats stats = awaitStats(each -> each.same() == 101);
      assertThat(stats.skipped())
          .containsEntry(Skipped.CROSS_SLOT, 1L)
          .containsEntry(Skipped.DATABASE, 1L);
      assertThat(stats.allDiffering() + stats.allErrors()).isZero();
    }
  }

  @Test
  void upstreamsThatSelectOthersMayHaveShadows() {
    List<UpstreamSettings> both =
        List.of(ChangingProxy.single(server, null), ChangingProxy.single(copy, null));
    var weights = new WeightedDivision(List.of(1, 1));
    Map<String, UpstreamSettings> kinds =
        Map.of(
            "split",
            new SplitUpstreamSettings(both.get(0), List.of(new ReadPart(both.get(1), true, false))),
            "keys",
            new DividedUpstreamSettings(weights, both),
            "clients",
            new SpreadUpstreamSettings(weights, both));
    proxy.listeners.clear();
    kinds.forEach((name, kind) -> {
      proxy.upstream(name, kind);
      proxy.listener(name, name);
    });
    Objects.requireNonNull(proxy.upstreams.get("split")).reads =
        ReadSettings.of(ReadFrom.REPLICA_PREFERRED);
    proxy.upstream("copy", server(cluster));
    proxy.shadows = kinds.keySet().stream().map(name -> new Shadow(name, "copy", ALL)).toList();
    proxy.start();
    await().atMost(PATIENCE).until(() -> proxy.upstream("copy").isReady());
    for (String name : kinds.keySet()) {
      try (RespClient one = proxy.connect(name);
          RespClient other = proxy.connect(name)) {
        for (int i = 0; i < 20; i++) {
          one.call("GET", "absent" + i);
          other.call("GET", "absent" + i);
        }
        await()
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(stats(name))
                    .as("%s %s", name, stats(name))
                    .returns(40L, ShadowStats::same));
      }
    }
  }
}
