package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.core.tcp.TcpServers.Status;
import io.penstock.server.it.DispatchMode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.HeaderRelay;
import io.penstock.testkit.network.ParsedHeader;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Listeners for TCP upstreams in front of real servers, scripted ones and failing networks. */
@Tag(DispatchMode.ANY)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TcpUpstreamsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** More than the buffers of the system between the server and the client. */
  private static final int MANY_BYTES = 48 << 20;

  private static final TestAuthority AUTHORITY = TestAuthority.create("tcp");

  private final ServerProcess one = ServerProcess.start();
  private final ServerProcess two = ServerProcess.start();
  private final ServerProcess encrypted =
      ServerProcess.builder().tls(AUTHORITY.files(AUTHORITY.issue("node"))).start();
  private final ScriptedNode scripted = new ScriptedNode();
  private final HeaderRelay headers = HeaderRelay.to("127.0.0.1", one.port());
  private final HeaderRelay binaryHeaders = HeaderRelay.to("127.0.0.1", one.port());
  private final Relay failing = Relay.to("127.0.0.1", two.port());

  @SuppressWarnings("NullAway.Init")
  private Path file;

  @SuppressWarnings("NullAway.Init")
  private RunningPenstock penstock;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    one.text("SET", "name", "one");
    two.text("SET", "name", "two");
    encrypted.text("SET", "name", "encrypted");
    file = Files.writeString(folder.resolve("application.yml"), yaml(bothServers()));
    penstock = RunningPenstock.startWith(file);
  }

  @AfterAll
  void stop() {
    penstock.close();
    failing.close();
    headers.close();
    binaryHeaders.close();
    scripted.close();
    encrypted.close();
    two.close();
    one.close();
  }

  @BeforeEach
  void beginWithBothServers() throws IOException {
    reload(bothServers());
    failing.restore();
    await("the clients of the test before have gone")
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(penstock.bean(Proxy.class).listeners())
                .allSatisfy(each -> assertThat(each.clients()).as(each.name()).isZero()));
  }

  private String bothServers() {
    return "[ '127.0.0.1:%d', '127.0.0.1:%d' ], balance: round-robin"
        .formatted(one.port(), two.port());
  }

  private String yaml(String pair) {
    var certificate = AUTHORITY.files(AUTHORITY.issue("front"));
    return """
    penstock:
      drain-timeout: 300ms
      event-loops: 2
      listeners:
        pair: { bind: 127.0.0.1, port: 0, upstream: pair, max-clients: 8 }
        script: { bind: 127.0.0.1, port: 0, upstream: script }
        idle: { bind: 127.0.0.1, port: 0, upstream: idle }
        failing: { bind: 127.0.0.1, port: 0, upstream: failing }
        stuck: { bind: 127.0.0.1, port: 0, upstream: stuck }
        checked: { bind: 127.0.0.1, port: 0, upstream: checked }
        v1: { bind: 127.0.0.1, port: 0, upstream: v1 }
        v2: { bind: 127.0.0.1, port: 0, upstream: v2, proxy-protocol: { from: [ 127.0.0.1 ] } }
        tls: { bind: 127.0.0.1, port: 0, upstream: tls, tls: { bundle: front } }
        plain: { bind: 127.0.0.1, port: 0, upstream: resp }
      upstreams:
        resp: "redis://127.0.0.1:%1$d"
        pair: { tcp: { servers: %2$s } }
        script: { tcp: { servers: [ '127.0.0.1:%3$d' ], buffer-size: 16KB } }
        idle: { tcp: { servers: [ '127.0.0.1:%1$d' ], idle-timeout: 300ms } }
        failing: { tcp: { servers: [ '127.0.0.1:1', '127.0.0.1:%1$d', '127.0.0.1:2 backup' ] } }
        stuck: { tcp: { servers: [ '127.0.0.1:1', '127.0.0.1:2', '127.0.0.1:%1$d' ], \
    next-server-tries: 1 } }
        checked: { tcp: { servers: [ '127.0.0.1:%4$d', '127.0.0.1:%1$d' ], health-check: \
    { interval: 50ms, timeout: 1s, send: "PING\\r\\n", expect: "+PONG" } } }
        v1: { tcp: { servers: [ '127.0.0.1:%5$d' ] }, proxy-protocol: v1 }
        v2: { tcp: { servers: [ '127.0.0.1:%6$d' ] }, proxy-protocol: v2 }
        tls: { tcp: { servers: [ '127.0.0.1:%7$d' ], tls: true }, \
    tls: { bundle: nodes, verify: ca } }
    spring.ssl.bundle.pem:
      front.keystore: { certificate: '%8$s', private-key: '%9$s' }
      nodes.truststore.certificate: '%10$s'
    """
        .formatted(
            one.port(),
            pair,
            scripted.port(),
            failing.port(),
            headers.port(),
            binaryHeaders.port(),
            encrypted.tlsPort(),
            certificate.certificate(),
            certificate.key(),
            AUTHORITY.file());
  }

  private void reload(String pair) throws IOException {
    String now = Files.readString(file);
    String next = now.replaceFirst("pair: \\{ tcp: .*", "pair: { tcp: { servers: " + pair + " } }");
    if (!next.equals(now)) {
      Files.writeString(file, next);
      HttpResponse<String> reply = penstock.management().post("penstock/reload");
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    }
  }

  private ProxyListener listener(String name) {
    return penstock.bean(Proxy.class).listeners().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private int port(String listener) {
    return Objects.requireNonNull(listener(listener).address()).getPort();
  }

  private RespClient connect(String listener) {
    return RespClient.open("127.0.0.1", port(listener), Duration.ofSeconds(10));
  }

  private static String name(RespClient client) {
    return client.text("GET", "name");
  }

  private List<Status> status(String listener) {
    return ((TcpUpstream) listener(listener).upstream()).status();
  }

  /** Values of clients are up to half a second old. */
  private void awaitMetric(String pattern) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(penstock.get("prometheus").body()).containsPattern(pattern));
  }

  private static void closeAll(List<RespClient> clients) {
    clients.forEach(RespClient::close);
  }

  @Test
  void aClientKeepsItsServerAndClientsTakeTurns() {
    List<RespClient> clients = new ArrayList<>();
    Map<String, Integer> counts = new TreeMap<>();
    for (int i = 0; i < 6; i++) {
      RespClient client = connect("pair");
      clients.add(client);
      String name = name(client);
      counts.merge(name, 1, Integer::sum);
      assertThat(client.text("SELECT", "3")).isEqualTo("OK"); // the server's own state
      assertThat(client.text("SELECT", "0")).isEqualTo("OK");
      assertThat(name(client)).isEqualTo(name);
    }

    assertThat(counts).containsExactlyInAnyOrderEntriesOf(Map.of("one", 3, "two", 3));
    assertThat(status("pair")).extracting(Status::connections).containsExactly(3, 3);
    closeAll(clients);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(status("pair")).extracting(Status::connections).containsExactly(0, 0));
  }

  @Test
  void largeValuesPassUnchangedInBothDirections() {
    byte[] value = new byte[5_000_000];
    new Random(7).nextBytes(value);
    try (RespClient client = connect("idle")) {
      client.call(Wire.bytes("SET"), Wire.bytes("large"), value);

      assertThat((byte[]) client.value(Wire.bytes("GET"), Wire.bytes("large"))).isEqualTo(value);
    }
  }

  @Test
  void halfClosesPassInBothDirections() {
    try (Peer client = Peer.connect(port("script"))) {
      client.send("question");
      try (Peer server = scripted.acceptUnanswered()) {
        server.expect("question");
        client.finishSending();
        server.expectClosed();

        server.send("answer").finishSending();

        client.expect("answer").expectClosed();
      }
    }
    try (Peer client = Peer.connect(port("script"))) {
      client.send("q");
      try (Peer server = scripted.acceptUnanswered()) {
        server.expect("q").finishSending();
        client.expectClosed();

        client.send("more");

        server.expect("more");
      }
    }
  }

  @Test
  void aResetOfOneSideClosesTheOther() {
    try (Peer client = Peer.connect(port("script"))) {
      client.send("q");
      try (Peer server = scripted.acceptUnanswered()) {
        server.expect("q").send("last words");
        client.expect("last words");

        server.reset();

        client.expectClosed();
      }
    }
  }

  @Test
  void aStalledReaderStopsTheReadingOfTheOtherSide() {
    long before = receivedOfScript();
    try (Peer client = Peer.connect(port("script"))) {
      client.send("q");
      try (Peer server = scripted.acceptUnanswered()) {
        server.expect("q");
        Thread sender = Thread.ofVirtual().start(() -> server.send(new byte[MANY_BYTES]));
        AtomicLong latest = new AtomicLong();
        await("Penstock reads no more")
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(100))
            .until(() -> {
              long now = receivedOfScript() - before;
              return latest.getAndSet(now) == now && now > 0;
            });
        assertThat(latest.get()).isLessThan(MANY_BYTES / 2);
        assertThat(sender.isAlive()).isTrue();

        assertThat(client.read(MANY_BYTES)).hasSize(MANY_BYTES);
      }
    }
  }

  private long receivedOfScript() {
    return status("script").getFirst().received();
  }

  @Test
  void aClientGetsTheNextServerIfOneCannotBeConnectedTo() {
    try (RespClient first = connect("failing");
        RespClient second = connect("failing")) {
      assertThat(name(first)).isEqualTo("one");
      assertThat(name(second)).isEqualTo("one");
    }
    assertThat(status("failing")).extracting(Status::up).containsExactly(false, true, true);
    assertThat(status("failing").getFirst().failed()).isEqualTo(1);
    assertThat(penstock.status("health/readiness")).isEqualTo(200);
  }

  @Test
  void aClientIsClosedWithoutAWordAfterAllTries() {
    try (RespClient client = connect("stuck")) {
      assertThat(client.readToEnd()).isEmpty();
    }
    awaitMetric("penstock_tcp_clients_turned_away_total\\{upstream=\"stuck\"} [1-9]");
  }

  @Test
  void aFailedHealthCheckTakesAServerOutUntilItPasses() {
    await().atMost(PATIENCE).until(() -> status("checked").stream().allMatch(Status::up));
    failing.refuseConnections();
    failing.cut(Relay.End.RST);
    await().atMost(PATIENCE).until(() -> !status("checked").getFirst().up());
    try (RespClient first = connect("checked");
        RespClient second = connect("checked")) {
      assertThat(name(first)).isEqualTo("one");
      assertThat(name(second)).isEqualTo("one");
    }

    failing.acceptConnections();

    await().atMost(PATIENCE).until(() -> status("checked").getFirst().up());
  }

  @Test
  void anIdleClientIsClosedAndABusyOneIsNot() {
    try (RespClient idle = connect("idle")) {
      assertThat(name(idle)).isEqualTo("one");

      assertThat(idle.readToEnd()).isEmpty();
    }
    awaitMetric(
        "penstock_client_connections_closed_by_limit_total\\{listener=\"idle\",reason=\"idle\"}"
            + " [1-9]");
  }

  @Test
  void aClientAboveTheLimitIsClosed() {
    List<RespClient> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      clients.add(connect("pair"));
    }
    clients.forEach(TcpUpstreamsIT::name);
    try (RespClient ninth = connect("pair")) {
      assertThat(ninth.readToEnd()).isEmpty();
    }
    closeAll(clients);
  }

  @Test
  void theHeaderToServersNamesTheClient() {
    try (RespClient client = connect("v1")) {
      String own = client.call("CLIENT", "INFO"); // of the relay, which is the server's client
      ParsedHeader header = headers.connected().getLast().header();

      assertThat(own).contains("addr=127.0.0.1:");
      assertThat(header.version()).isEqualTo(1);
      assertThat(header.source()).isNotNull();
      assertThat(header.destination()).extracting(InetSocketAddress::getPort).isEqualTo(port("v1"));
      HttpResponse<String> killed =
          penstock
              .management()
              .post(
                  "penstock/kill?listener=v1&addr=127.0.0.1:"
                      + Objects.requireNonNull(header.source()).getPort());
      assertThat(killed.body()).contains("\"killed\":1"); // it is this client's address
    }
  }

  @Test
  void theHeaderToServersNamesTheClientOfABalancer() {
    try (RespClient client = connect("v2")) {
      client.write("PROXY TCP4 203.0.113.9 10.0.0.1 4321 6379\r\nPING\r\n").flush();
      assertThat(client.read()).isEqualTo("+PONG\r\n");
      ParsedHeader header = binaryHeaders.connected().getLast().header();

      assertThat(header.version()).isEqualTo(2);
      assertThat(header.source()).isEqualTo(new java.net.InetSocketAddress("203.0.113.9", 4321));
    }
  }

  @Test
  void tlsIsEndedAndBegun() {
    try (RespClient client = RespClient.open("127.0.0.1", port("tls"), AUTHORITY.clients())) {
      assertThat(name(client)).isEqualTo("encrypted");
      client.call("SET", "large", "x".repeat(2_000_000));
      assertThat(client.text("GET", "large")).hasSize(2_000_000);
    }
  }

  @Test
  void aReloadKeepsClientsAndDrainsThoseOfRemovedServers() throws IOException {
    try (RespClient first = connect("pair");
        RespClient second = connect("pair")) {
      boolean firstIsOne = name(first).equals("one");
      RespClient staying = firstIsOne ? first : second;
      RespClient leaving = firstIsOne ? second : first;
      assertThat(name(leaving)).isEqualTo("two");

      reload("[ '127.0.0.1:%d weight=3' ], balance: hash".formatted(one.port()));

      try (RespClient fresh = connect("pair")) {
        assertThat(name(fresh)).isEqualTo("one");
      }
      assertThat(leaving.readToEnd()).isEmpty();
      assertThat(name(staying)).isEqualTo("one");
    }
  }

  @Test
  void aReloadToServersThatDoNotAnswerIsRefused() throws IOException {
    String now = Files.readString(file);
    Files.writeString(
        file,
        now.replaceFirst("pair: \\{ tcp: .*", "pair: { tcp: { servers: [ '127.0.0.1:1' ] } }"));

    HttpResponse<String> reply = penstock.management().post("penstock/reload");

    assertThat(reply.statusCode()).isEqualTo(409);
    assertThat(reply.body()).contains("upstream pair: no server can be connected to: 127.0.0.1:1");
    Files.writeString(file, now);
    try (RespClient client = connect("pair")) {
      assertThat(name(client)).isNotEmpty();
    }
  }

  @Test
  void aListenerChangesFromTcpToRespAndBack() throws IOException {
    String now = Files.readString(file);
    String changed = now.replace("upstream: script }", "upstream: resp }");
    try (RespClient before = connect("pair")) {
      assertThat(name(before)).isNotEmpty();
      applyAll(changed);
      try (RespClient client = RespClient.open("127.0.0.1", port("script"))) {
        assertThat(client.call("INFO", "server")).contains("penstock_version");
      }
      applyAll(now);
      assertThat(name(before)).isNotEmpty();
    }
  }

  private void applyAll(String yaml) throws IOException {
    Files.writeString(file, yaml);
    HttpResponse<String> reply = penstock.management().post("penstock/reload");
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
  }

  @Test
  void aDrainedListenerClosesItsClientsAfterTheirTime() {
    try (RespClient client = connect("pair")) {
      assertThat(name(client)).isNotEmpty();

      assertThat(penstock.management().post("penstock/drain?listener=pair").statusCode())
          .isEqualTo(200);

      assertThat(client.readToEnd()).isEmpty();
      assertThat(penstock.status("health/listeners/pair")).isEqualTo(503);
    } finally {
      assertThat(penstock.management().post("penstock/resume").statusCode()).isEqualTo(200);
    }
    try (RespClient client = connect("pair")) {
      assertThat(name(client)).isNotEmpty();
    }
  }

  @Test
  void clientsAreKilledByTheirAddress() throws IOException {
    try (Peer client = Peer.connect(port("script"));
        RespClient other = connect("pair")) {
      assertThat(name(other)).isNotEmpty();
      client.send("q");
      try (Peer server = scripted.acceptUnanswered()) {
        server.expect("q");

        HttpResponse<String> reply =
            penstock
                .management()
                .post("penstock/kill?listener=script&laddr=127.0.0.1:" + port("script"));

        assertThat(reply.body()).contains("\"killed\":1");
        client.expectClosed();
        server.expectClosed();
      }
      assertThat(name(other)).isNotEmpty();
    }
  }

  @Test
  void endpointsAndMetricsShowTheServers() {
    try (RespClient client = connect("pair")) {
      name(client);

      String metrics = penstock.get("prometheus").body();
      String server = "{server=\"127.0.0.1:%d\",upstream=\"pair\"} ".formatted(one.port());
      assertThat(metrics)
          .contains("penstock_tcp_server_up" + server + "1.0")
          .contains("penstock_tcp_connections" + server)
          .contains("penstock_tcp_connections_opened_total" + server)
          .contains("penstock_tcp_connect_failures_total" + server + "0.0")
          .contains("penstock_tcp_sent_bytes_total" + server)
          .contains("penstock_tcp_received_bytes_total" + server)
          .doesNotContain("penstock_failover_hold_requests{upstream=\"pair\"}");
      awaitMetric("penstock_client_connections\\{listener=\"pair\"} 1\\.0");
      assertThat(penstock.get("topology/pair").body())
          .contains("\"state\":\"complete\"", "\"ready\":true", "127.0.0.1:" + one.port());
      assertThat(penstock.status("health/listeners/pair")).isEqualTo(200);
    }
  }
}
