package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.server.it.ProxyFixture;
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
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * A file with several listeners and upstreams of all kinds, in front of real servers: what its keys
 * and URLs say is what clients of each listener get.
 */
@ExtendWith({SharedCluster.class, SharedGroup.class, OutputCaptureExtension.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SeveralListenersIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final EmbeddedCluster cluster;
  private final SentinelGroup group;
  private final ServerProcess server = ServerProcess.start();
  private final ServerProcess plain = ServerProcess.builder().password("s3cret").start();
  private final List<ProxyFixture> proxies =
      Stream.generate(() -> ProxyFixture.of(server).startReady()).limit(2).toList();

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  SeveralListenersIT(EmbeddedCluster cluster, SentinelGroup group) {
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
    String addresses =
        proxies.stream()
            .map(proxy -> proxy.host() + ":" + proxy.port())
            .collect(Collectors.joining(","));
    return """
    penstock:
      max-clients: 500
      event-loops: 2
      listeners:
        orders: { bind: [ 127.0.0.1, 127.0.0.2 ], port: 0, upstream: orders }
        sessions: { bind: 127.0.0.1, port: 0, upstream: sessions, password: front-door }
        batch: { bind: 127.0.0.1, port: 0, upstream: sessions, password: other, max-clients: 2 }
        reports: { bind: 127.0.0.1, port: 0, upstream: reports }
        cache: { bind: 127.0.0.1, port: 0, upstream: cache }
        plain: { bind: 127.0.0.1, port: 0, upstream: plain }
      upstreams:
        orders:
          resource: "%s"
          backend: { command-timeout: 3s }
        sessions: "%s?db=2"
        reports:
          resource: "%s?db=2&withMaster=true"
          max-replica-lag: 1MB
        cache: "redis-proxies://%s?db=1"
        plain: "redis://:s3cret@%s:%d?db=3"
    """
        .formatted(
            cluster.resource(),
            group.resource(),
            group.resource().replace("redis-sentinel:", "redis-sentinel-slaves:"),
            addresses,
            plain.host(),
            plain.port());
  }

  @AfterAll
  void stop() {
    penstock.close();
    proxies.forEach(ProxyFixture::close);
    server.close();
    plain.close();
  }

  private RespClient connect(String listener) {
    return RespClient.open("127.0.0.1", port(listener));
  }

  private int port(String listener) {
    ProxyListener found =
        penstock.bean(Proxy.class).listeners().stream()
            .filter(each -> each.name().equals(listener))
            .findFirst()
            .orElseThrow();
    return Objects.requireNonNull(found.address()).getPort();
  }

  private RespClient session() {
    RespClient client = connect("sessions");
    assertThat(client.call("AUTH", "front-door")).isEqualTo("+OK\r\n");
    return client;
  }

  private static String inDatabase(RespClient direct, int database, String key) {
    try (direct) {
      assertThat(direct.text("SELECT", Integer.toString(database))).isEqualTo("OK");
      return direct.call("GET", key);
    }
  }

  private static RespClient connect(ServerProcess node) {
    return node.connect();
  }

  @Test
  void eachListenerWritesToItsUpstreamAndDatabase() {
    for (String listener : List.of("orders", "cache", "plain")) {
      try (RespClient client = connect(listener)) {
        assertThat(client.call("MSET", "where", listener, "k", "1")).isEqualTo("+OK\r\n");
        assertThat(client.call("MGET", "k", "where"))
            .isEqualTo("*2\r\n" + Wire.bulk("1") + Wire.bulk(listener));
      }
    }
    try (RespClient client = session()) {
      assertThat(client.call("SET", "where", "sessions")).isEqualTo("+OK\r\n");
    }

    assertThat(inDatabase(connect(group.master()), 2, "where")).isEqualTo(Wire.bulk("sessions"));
    assertThat(inDatabase(connect(group.master()), 0, "where")).isEqualTo("$-1\r\n");
    assertThat(inDatabase(connect(server), 1, "where")).isEqualTo(Wire.bulk("cache"));
    assertThat(inDatabase(connect(server), 0, "where")).isEqualTo("$-1\r\n");
    assertThat(inDatabase(connect(plain), 3, "where")).isEqualTo(Wire.bulk("plain"));
    try (RespClient client = connect("orders")) {
      assertThat(client.call("SELECT", "1")).startsWith("-ERR SELECT is not allowed in cluster");
      assertThat(client.call("GET", "where")).isEqualTo(Wire.bulk("orders"));
    }
  }

  @Test
  void aListenerAcceptsClientsOnAllItsAddresses() {
    int port = port("orders");
    try (RespClient one = connect("orders");
        RespClient two = RespClient.open("127.0.0.2", port)) {
      assertThat(one.call("CONFIG", "GET", "bind")).contains(Wire.bulk("127.0.0.1 127.0.0.2"));
      assertThat(two.call("CONFIG", "GET", "port")).contains(Wire.bulk("" + port));
      assertThat(two.text("INFO", "server")).contains("tcp_port:" + port + "\r\n");
      assertThat(two.text("CLIENT", "LIST"))
          .contains(" laddr=127.0.0.1:" + port + " ", " laddr=127.0.0.2:" + port + " ");
      assertThat(one.call("SET", "k", "1")).isEqualTo("+OK\r\n");
      assertThat(two.call("GET", "k")).isEqualTo(Wire.bulk("1"));
    }
  }

  @Test
  void whatSessionsWriteIsReadByReports() {
    try (RespClient session = session();
        RespClient report = connect("reports")) {
      assertThat(session.call("SET", "report", "1")).isEqualTo("+OK\r\n");
      await().atMost(PATIENCE).until(() -> report.call("GET", "report").equals(Wire.bulk("1")));
      assertThat(report.call("SET", "report", "2")).startsWith("-READONLY ");
    }
  }

  @Test
  void passwordsAndLimitsAreThoseOfTheListener() {
    try (RespClient session = session();
        RespClient first = connect("batch");
        RespClient second = connect("batch");
        RespClient open = connect("orders")) {
      assertThat(first.call("GET", "k")).startsWith("-NOAUTH ");
      assertThat(first.call("AUTH", "front-door")).startsWith("-WRONGPASS ");
      assertThat(second.call("AUTH", "other")).isEqualTo("+OK\r\n");
      assertThat(open.call("AUTH", "other")).startsWith("-ERR AUTH ");
      try (RespClient third = connect("batch")) {
        assertThat(third.read()).isEqualTo("-ERR max number of clients reached\r\n");
      }
      assertThat(session.call("SET", "shared", "1")).isEqualTo("+OK\r\n");
      assertThat(second.call("GET", "shared")).isEqualTo(Wire.bulk("1"));
    }
    try (RespClient first = connect("cache")) {
      assertThat(first.call("CONFIG", "GET", "maxclients")).contains(Wire.bulk("500"));
    }
  }

  @Test
  void clientsOfTheCacheAreSpreadOverItsProxies() {
    try (RespClient one = connect("cache");
        RespClient two = connect("cache")) {
      assertThat(one.call("APPEND", "appended", "a")).isEqualTo(":1\r\n");
      assertThat(two.call("APPEND", "appended", "b")).isEqualTo(":2\r\n");
      assertThat(proxies).allMatch(SeveralListenersIT::hasAppended);
      assertThat(one.call("SUBSCRIBE", "news")).startsWith("*3\r\n");
      assertThat(two.call("PUBLISH", "news", "m")).isEqualTo(":1\r\n");
      assertThat(one.read())
          .isEqualTo("*3\r\n" + Wire.bulk("message") + Wire.bulk("news") + Wire.bulk("m"));
    }
  }

  private static boolean hasAppended(ProxyFixture proxy) {
    return proxy.stats().commands().stream().anyMatch(stats -> stats.name().equals("APPEND"));
  }

  @Test
  void aFailoverIsFollowedAndConcernsNoOtherListener() {
    try (RespClient session = session();
        RespClient other = connect("plain")) {
      assertThat(session.call("SET", "k", "1")).isEqualTo("+OK\r\n");
      assertThat(session.call("WAIT", "2", "10000")).isEqualTo(":2\r\n");

      ServerProcess now = group.failover();

      await().atMost(PATIENCE).until(() -> session.call("INCR", "k").startsWith(":"));
      assertThat(other.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(inDatabase(connect(now), 2, "k")).startsWith("$1\r\n");
    }
  }

  @Test
  void twoDeadSentinelsOfThreeAreTold(CapturedOutput output) {
    List<ServerProcess> dead = group.sentinels().subList(1, 3);
    await().atMost(PATIENCE).untilAsserted(() -> assertSentinels(3));
    try (RespClient session = session()) {
      dead.forEach(ServerProcess::kill);

      await().atMost(PATIENCE).untilAsserted(() -> assertSentinels(1));
      dead.forEach(sentinel ->
          assertThat(penstock.get("health/readiness").body())
              .contains(sentinel.host() + ":" + sentinel.port()));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(output)
                  .contains(
                      "Upstream sessions: Too few sentinels of mymaster answer for a failover: 1 of"
                          + " 3, and it needs 2; ")
                  .containsPattern(
                      "Upstream reports: Too few sentinels of mymaster [^;]*; 127.0.0.1:\\d+:"
                          + " Connection refused; 127.0.0.1:\\d+: Connection refused"));
      assertThat(penstock.status("health/readiness")).isEqualTo(200);
      assertThat(session.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    } finally {
      dead.forEach(group::restart);
    }
    await().atMost(PATIENCE).untilAsserted(() -> assertSentinels(3));
  }

  private void assertSentinels(int answering) {
    String counts = "\"known\":3,\"answering\":%d,\"agreeing\":%<d".formatted(answering);
    assertThat(penstock.get("health/readiness").body()).contains(counts);
    assertThat(penstock.get("topology/sessions").body()).contains(counts);
    assertThat(penstock.get("topology/orders").body()).contains("\"sentinels\":[]");
    assertThat(penstock.get("prometheus").body())
        .contains("penstock_sentinels{state=\"known\",upstream=\"reports\"} 3.0")
        .contains(
            "penstock_sentinels{state=\"answering\",upstream=\"reports\"} %d.0"
                .formatted(answering))
        .contains(
            "penstock_sentinels{state=\"agreeing\",upstream=\"reports\"} %d.0"
                .formatted(answering));
  }

  @Test
  void theManagementPortNamesListenersAndUpstreams() {
    try (RespClient client = session()) {
      client.call("GET", "k");
    }

    assertThat(penstock.get("topology").body())
        .contains("orders", "sessions", "reports", "cache", "plain")
        .doesNotContain("s3cret", "front-door");
    assertThat(penstock.get("health/readiness").body()).contains("orders", "cache");
    await()
        .untilAsserted(() ->
            assertThat(penstock.get("prometheus").body())
                .contains(
                    "penstock_commands_total{command=\"GET\",listener=\"sessions\",outcome=\"ok\"}")
                .contains("upstream=\"cache\""));
  }
}
