package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.X509Bundle;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.tls.TlsBundle;
import io.penstock.core.tls.TlsMaterial;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** TLS on both sides: who is trusted, what is served, and what happens when keys are replaced. */
@ExtendWith(OutputCaptureExtension.class)
class TlsIT {

  private static final TestAuthority AUTHORITY = TlsOfTests.AUTHORITY;
  private static final TestAuthority STRANGER = TestAuthority.create("stranger");

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static ProxyFixture proxy; // TLS on both sides

  @BeforeAll
  static void start() {
    cluster =
        EmbeddedCluster.builder().masters(3).tls(AUTHORITY.files(AUTHORITY.issue("node"))).start();
    proxy = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(TlsOfTests.listener()).startReady();
  }

  @AfterAll
  static void stop() {
    proxy.close();
    cluster.close();
  }

  /** Builds a proxy before one node of the cluster, as if it were a single server. */
  private static ProxyFixture.Builder single(ServerProcess server, NodeTls tls) {
    var node = new Endpoint("localhost", server.tlsPort());
    return ProxyFixture.of(new SingleUpstreamSettings(node, null, 0).with(NodeTransport.of(tls)));
  }

  private static ServerProcess server(X509Bundle identity, TestAuthority authority) {
    return ServerProcess.builder().tls(authority.files(identity)).start();
  }

  @Test
  void allNodesAreReachedOverTls() {
    try (RespClient client = proxy.connect(AUTHORITY.clients())) {
      for (int i = 0; i < 100; i++) {
        assertThat(client.call("SET", "tls" + i, "value " + i)).isEqualTo("+OK\r\n");
      }
      assertThat(client.call("MGET", "tls1", "tls2", "tls3")).startsWith("*3\r\n$7\r\nvalue 1");
    }
    for (Member master : cluster.masters()) {
      List<String> penstocks =
          master
              .text("CLIENT", "LIST")
              .lines()
              .filter(line -> line.contains("name=penstock"))
              .toList();
      assertThat(penstocks)
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).contains("laddr=127.0.0.1:" + master.tlsPort()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4_095, 16_384, 16_385, 300_000, 8 * 1024 * 1024})
  void largeValuesAndPipelinesAreUnchanged(int size) {
    String value = "0123456789abcdef".repeat(size / 16 + 1).substring(0, size);
    try (RespClient client = proxy.connect(AUTHORITY.clients())) {
      client.write(Wire.request("SET", "large", value));
      for (int i = 0; i < 50; i++) {
        client.write(Wire.request("STRLEN", "large"));
      }
      client.write(Wire.request("GET", "large")).write(Wire.request("ECHO", "end")).flush();

      assertThat(client.read()).isEqualTo("+OK\r\n");
      for (int i = 0; i < 50; i++) {
        assertThat(client.read()).isEqualTo(":" + size + "\r\n");
      }
      assertThat(client.read().equals(Wire.bulk(value))).isTrue();
      assertThat(client.read()).isEqualTo(Wire.bulk("end"));
    }
  }

  @Test
  void aClientThatEndsTlsIsClosed() {
    try (RespClient client = proxy.connect(AUTHORITY.clients());
        RespClient other = proxy.connect(AUTHORITY.clients())) {
      assertThat(client.call("CLIENT", "SETNAME", "ending")).isEqualTo("+OK\r\n");
      client.send("BLPOP", "nothing", "0");
      client.finishSending();

      assertThat(client.readToEnd()).isEmpty();
      await().until(() -> !other.call("CLIENT", "LIST").contains("name=ending"));
    }
  }

  @Test
  void messagesAreDelivered() {
    try (RespClient subscriber = proxy.connect(AUTHORITY.clients());
        RespClient publisher = proxy.connect(AUTHORITY.clients())) {
      assertThat(subscriber.call("SUBSCRIBE", "news")).startsWith("*3");
      await().until(() -> publisher.call("PUBLISH", "news", "hello").equals(":1\r\n"));
      assertThat(subscriber.read()).endsWith(Wire.bulk("hello"));
    }
  }

  @Test
  void plainBytesAreRefusedAndCounted() throws IOException {
    long before = closedForTls();
    try (RespClient client = proxy.connect()) {
      client.send("PING");
      assertThat(client.readToEnd()).doesNotContain("PONG").doesNotContain("ERR");
    }
    await().until(() -> closedForTls() == before + 1);
    try (Socket silent = new Socket(proxy.host(), proxy.port())) {
      silent.shutdownOutput();
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
    }
    try (RespClient client = proxy.connect(AUTHORITY.clients())) {
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  private static long closedForTls() {
    return proxy.stats().pressure().closed().getOrDefault(CloseReason.TLS, 0L);
  }

  @Test
  void clientsThatPenstockClosesSeeTheEnd() {
    try (RespClient quits = proxy.connect(AUTHORITY.clients());
        RespClient killed = proxy.connect(AUTHORITY.clients());
        RespClient confused = proxy.connect(AUTHORITY.clients())) {
      quits.write(Wire.request("PING")).write(Wire.request("QUIT")).flush();
      assertThat(quits.readToEnd()).isEqualTo("+PONG\r\n+OK\r\n");
      confused.write("*x\r\n").flush();
      assertThat(confused.readToEnd()).startsWith("-ERR Protocol error");
      String id = killed.call("CLIENT", "ID").substring(1).strip();
      try (RespClient killer = proxy.connect(AUTHORITY.clients())) {
        assertThat(killer.call("CLIENT", "KILL", "ID", id)).isEqualTo(":1\r\n");
      }
      assertThat(killed.readToEnd()).isEmpty();
    }
  }

  @Test
  void aSilentConnectionIsClosed() throws IOException {
    var settings =
        new ListenerTls.Settings(ClientAuth.NONE, CertificateUsers.NONE, Duration.ofMillis(200));
    var tls = new ListenerTls(TlsOfTests.bundle("listener"), settings);
    try (ProxyFixture impatient = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).start();
        Socket silent = new Socket(impatient.host(), impatient.port())) {
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      await().until(() -> impatient.stats().clientsNow() == 0);
    }
  }

  /** Clients that never finish their handshakes cannot keep others out for long. */
  @Test
  void unfinishedHandshakesCountAsClientsAndEnd() throws Exception {
    var settings =
        new ListenerTls.Settings(ClientAuth.NONE, CertificateUsers.NONE, Duration.ofSeconds(5));
    var tls = new ListenerTls(TlsOfTests.bundle("listener"), settings);
    byte[] hello = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xFC, 3, 3}; // of 517 bytes
    List<Socket> unfinished = new ArrayList<>();
    try (ProxyFixture full =
        ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).maxClients(20).startReady()) {
      for (int i = 0; i < 20; i++) {
        var socket = new Socket(full.host(), full.port());
        unfinished.add(socket);
        socket.getOutputStream().write(hello, 0, i % hello.length);
      }
      await().until(() -> full.stats().clientsNow() == 20);
      try (Socket above = new Socket(full.host(), full.port())) {
        assertThat(above.getInputStream().readAllBytes()).isEmpty();
      }
      for (Socket socket : unfinished) {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
      await().until(() -> full.stats().clientsNow() == 0);
      assertThat(full.stats().pressure().closed().getOrDefault(CloseReason.TLS, 0L)).isEqualTo(20);
      try (RespClient client = full.connect(AUTHORITY.clients())) {
        assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
      }
    } finally {
      for (Socket socket : unfinished) {
        socket.close();
      }
    }
  }

  /** In TLS 1.3 a second handshake of the JDK's client is a key update. */
  @Test
  void keysMayBeUpdatedAndRenegotiationIsRefused() throws Exception {
    try (SSLSocket client = connect("TLSv1.3")) {
      for (int i = 0; i < 10; i++) {
        client.startHandshake();
        assertThat(ping(client)).isEqualTo("+PONG\r\n");
      }
    }
    try (SSLSocket client = connect("TLSv1.2")) {
      assertThat(ping(client)).isEqualTo("+PONG\r\n");
      assertThatThrownBy(
              () -> {
                client.startHandshake();
                ping(client);
              })
          .isInstanceOf(IOException.class);
    }
  }

  private static SSLSocket connect(String version) throws IOException {
    return connect(proxy, AUTHORITY.clients(), version);
  }

  private static SSLSocket connect(ProxyFixture to, SSLContext clients, String version)
      throws IOException {
    var socket = (SSLSocket) clients.getSocketFactory().createSocket(to.host(), to.port());
    socket.setSoTimeout(20_000);
    socket.setEnabledProtocols(new String[] {version});
    return socket;
  }

  private static String ping(SSLSocket client) throws IOException {
    client.getOutputStream().write(Wire.bytes(Wire.request("PING")));
    return new String(client.getInputStream().readNBytes(7), StandardCharsets.US_ASCII);
  }

  /** Names without a dot are not sent: neither TLS library does. */
  @ParameterizedTest
  @CsvSource({"localhost, , ''", "127.0.0.1, , ''", "127.0.0.1, redis.example, redis.example"})
  void theNameOfANodeIsSentAsSni(String host, @Nullable String serverName, String sent)
      throws Exception {
    SSLContext node = AUTHORITY.clients(AUTHORITY.issue("node"));
    @Nullable SSLSocket accepted = null; // closed after the proxy
    try (var listening = (SSLServerSocket) node.getServerSocketFactory().createServerSocket(0)) {
      var tls = new NodeTls(TlsOfTests.bundle("penstock"), Verify.CA, serverName);
      var upstream =
          new SingleUpstreamSettings(new Endpoint(host, listening.getLocalPort()), null, 0)
              .with(NodeTransport.of(tls));
      try (ProxyFixture connecting =
              ProxyFixture.of(upstream).connectTimeout(Duration.ofSeconds(20)).start();
          RespClient client = connecting.connect()) {
        client.send("GET", "k");
        accepted = (SSLSocket) listening.accept();
        accepted.startHandshake();
        assertThat(((ExtendedSSLSession) accepted.getSession()).getRequestedServerNames())
            .extracting(name -> new String(name.getEncoded(), StandardCharsets.US_ASCII))
            .containsExactlyElementsOf(sent.isEmpty() ? List.of() : List.of(sent));
      }
    } finally {
      if (accepted != null) {
        accepted.close();
      }
    }
  }

  @Test
  void aClientAboveTheLimitIsClosedWithoutPlainBytes() throws IOException {
    try (ProxyFixture full =
            ProxyFixture.of(cluster, TlsOfTests.nodes())
                .tls(TlsOfTests.listener())
                .maxClients(1)
                .start();
        RespClient client = full.connect(AUTHORITY.clients());
        Socket above = new Socket(full.host(), full.port())) {
      assertThat(above.getInputStream().readAllBytes()).isEmpty();
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void sessionsAreResumed(String version) throws Exception {
    awaitResumption(proxy, AUTHORITY.clients(), version, "default");
  }

  /** Waits until a session is resumed. The first connections may be too close to each other. */
  private static void awaitResumption(
      ProxyFixture at, SSLContext clients, String version, String user) throws IOException {
    long first = established(at, clients, version, user);
    await()
        .untilAsserted(() ->
            assertThat(established(at, clients, version, user))
                .as("start of the session")
                .isEqualTo(first));
  }

  /** Returns when the session began, which a resumed one has from the one before. */
  private static long established(ProxyFixture at, SSLContext clients, String version, String user)
      throws IOException {
    try (SSLSocket socket = connect(at, clients, version)) {
      String reply = Wire.bulk(user);
      socket.getOutputStream().write(Wire.bytes(Wire.request("ACL", "WHOAMI")));
      assertThat(socket.getInputStream().readNBytes(reply.length())).asString().isEqualTo(reply);
      assertThat(socket.getSession().getProtocol()).isEqualTo(version);
      return socket.getSession().getCreationTime();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "TLSv1.2, TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLSv1.3, TLSv1.3, TLS_CHACHA20_POLY1305_SHA256",
    ", TLSv1.3, TLS_AES_128_GCM_SHA256",
    ", TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
  })
  void versionsAndCiphersOfTheBundleAreKept(
      @Nullable String enabled, String expected, String cipher) throws Exception {
    var material =
        new TlsMaterial(
            AUTHORITY.issue("listener").toKeyManagerFactory(),
            null,
            enabled == null ? List.of() : List.of(enabled),
            List.of(cipher));
    ListenerTls tls = TlsOfTests.listener(new TlsBundle("chosen", material), ClientAuth.NONE);
    try (ProxyFixture chosen = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).start();
        var socket =
            (SSLSocket)
                AUTHORITY.clients().getSocketFactory().createSocket(chosen.host(), chosen.port())) {
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo(expected);
      assertThat(socket.getSession().getCipherSuite()).isEqualTo(cipher);
    }
  }

  @Test
  void anUnknownCipherIsRejected() throws Exception {
    var keys = AUTHORITY.issue("listener").toKeyManagerFactory();
    var material = new TlsMaterial(keys, null, List.of(), List.of("TLS_NONE"));
    assertThatThrownBy(() -> TlsOfTests.listener(new TlsBundle("x", material), ClientAuth.NONE))
        .hasMessage("the cipher suite TLS_NONE is not supported");
  }

  static List<Transport> transports() {
    return Stream.of(Transport.IO_URING, Transport.EPOLL, Transport.NIO)
        .filter(transport -> transport.unavailability() == null)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aNeededCertificateMustBeTrusted(Transport transport) {
    ListenerTls tls = TlsOfTests.listener(TlsOfTests.bundle("listener"), ClientAuth.NEED);
    try (ProxyFixture strict =
        ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).transport(transport).start()) {
      try (RespClient known = strict.connect(AUTHORITY.clients(AUTHORITY.issue("app")))) {
        assertThat(known.call("ACL", "WHOAMI")).isEqualTo(Wire.bulk("default"));
      }
      assertRefused(strict, AUTHORITY.clients());
      // a client that trusts the listener, with a certificate that the listener does not trust
      assertRefused(strict, AUTHORITY.clients(STRANGER.issue("app")));
      assertRefused(strict, AUTHORITY.clients(AUTHORITY.issueExpired("app")));
    }
  }

  @Test
  void aCertificateThatIsNotNeededMustBeTrustedToo() {
    ListenerTls tls = TlsOfTests.listener(TlsOfTests.bundle("listener"), ClientAuth.WANT);
    try (ProxyFixture lenient = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).start()) {
      try (RespClient none = lenient.connect(AUTHORITY.clients())) {
        assertThat(none.call("PING")).isEqualTo("+PONG\r\n");
      }
      await().until(() -> lenient.stats().clientsNow() == 0);
      assertRefused(lenient, AUTHORITY.clients(STRANGER.issue("app")));
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aClientWithoutACommonVersionIsTold(Transport transport) throws Exception {
    var keys = AUTHORITY.issue("listener").toKeyManagerFactory();
    var material = new TlsMaterial(keys, null, List.of("TLSv1.3"), List.of());
    ListenerTls tls = TlsOfTests.listener(new TlsBundle("modern", material), ClientAuth.NONE);
    try (ProxyFixture modern =
        ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).transport(transport).start()) {
      assertRefused(modern, AUTHORITY.clients(), "TLSv1.2");
    }
  }

  private static void assertRefused(ProxyFixture at, SSLContext clients) {
    assertRefused(at, clients, "TLSv1.3");
    assertRefused(at, clients, "TLSv1.2");
  }

  /**
   * The client gets the alert, and is disconnected. With TLS 1.3 it learns from its first read that
   * its certificate is refused.
   */
  private static void assertRefused(ProxyFixture at, SSLContext clients, String version) {
    long before = at.stats().pressure().closed().getOrDefault(CloseReason.TLS, 0L);
    assertThatThrownBy(
            () -> {
              try (SSLSocket client = connect(at, clients, version)) {
                ping(client);
              }
            })
        .isInstanceOf(SSLException.class)
        .hasMessageContaining("Received fatal alert: ");
    await()
        .until(
            () -> at.stats().pressure().closed().getOrDefault(CloseReason.TLS, 0L) == before + 1);
    await().until(() -> at.stats().clientsNow() == 0);
  }

  @Test
  void aCertificateAuthenticatesItsUser() {
    ListenerTls tls =
        TlsOfTests.listener(TlsOfTests.bundle("listener"), ClientAuth.WANT, "orders", "billing");
    try (ProxyFixture proxy =
            ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).password("secret").startReady();
        RespClient orders = proxy.connect(AUTHORITY.clients(AUTHORITY.issue("orders")));
        RespClient other = proxy.connect(AUTHORITY.clients(AUTHORITY.issue("other")));
        RespClient none = proxy.connect(AUTHORITY.clients())) {
      assertThat(orders.call("ACL", "WHOAMI")).isEqualTo(Wire.bulk("orders"));
      assertThat(orders.call("SET", "user", "1")).isEqualTo("+OK\r\n");
      assertThat(orders.call("CLIENT", "INFO")).contains(" user=orders ");
      assertThat(other.call("GET", "user")).startsWith("-NOAUTH");
      assertThat(none.call("GET", "user")).startsWith("-NOAUTH");
      assertThat(other.call("AUTH", "secret")).isEqualTo("+OK\r\n");
      assertThat(other.call("ACL", "WHOAMI")).isEqualTo(Wire.bulk("default"));
      assertThat(other.call("CLIENT", "KILL", "USER", "nobody")).startsWith("-ERR No such user");
      assertThat(other.call("CLIENT", "KILL", "USER", "billing")).isEqualTo(":0\r\n");
      assertThat(orders.call("RESET")).isEqualTo("+RESET\r\n");
      assertThat(orders.call("GET", "user")).startsWith("-NOAUTH");
      assertThat(orders.call("AUTH", "default", "secret")).isEqualTo("+OK\r\n");
      assertThat(orders.call("ACL", "WHOAMI")).isEqualTo(Wire.bulk("default"));
      assertThat(other.call("CLIENT", "KILL", "USER", "default")).isEqualTo(":2\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aResumedSessionHasTheUserOfItsCertificate(String version) throws Exception {
    ListenerTls tls = TlsOfTests.listener(TlsOfTests.bundle("listener"), ClientAuth.WANT, "orders");
    try (ProxyFixture naming = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).start()) {
      awaitResumption(naming, AUTHORITY.clients(AUTHORITY.issue("orders")), version, "orders");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void resumingDoesNotHelpACertificateOfARemovedAuthority(String version) throws Exception {
    X509Bundle identity = AUTHORITY.issue("listener");
    var bundle = new TlsBundle("rotated", material(identity, STRANGER));
    ListenerTls tls = TlsOfTests.listener(bundle, ClientAuth.NEED);
    SSLContext removed = AUTHORITY.clients(STRANGER.issue("app"));
    try (ProxyFixture rotated = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).start()) {
      awaitResumption(rotated, removed, version, "default");

      bundle.replace(material(identity, AUTHORITY));

      assertRefused(rotated, removed, version);
      SSLContext known = AUTHORITY.clients(AUTHORITY.issue("app"));
      assertThat(established(rotated, known, version, "default")).isPositive();
    }
  }

  @Test
  void replacedKeysServeNewConnectionsAndOldOnesGoOn() {
    TlsBundle bundle = TlsOfTests.bundle("listener");
    ListenerTls tls = TlsOfTests.listener(bundle, ClientAuth.NONE);
    try (ProxyFixture proxy = ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(tls).startReady();
        RespClient old = proxy.connect(AUTHORITY.clients())) {
      assertThat(old.call("SET", "rotated", "1")).isEqualTo("+OK\r\n");

      bundle.replace(material(STRANGER.issue("listener"), STRANGER));

      assertThat(old.call("GET", "rotated")).isEqualTo(Wire.bulk("1"));
      assertThatThrownBy(() -> proxy.connect(AUTHORITY.clients()))
          .isInstanceOf(UncheckedIOException.class);
      try (RespClient young = proxy.connect(STRANGER.clients())) {
        assertThat(young.call("GET", "rotated")).isEqualTo(Wire.bulk("1"));
      }
      assertThatThrownBy(() -> bundle.replace(TlsMaterial.DEFAULTS))
          .hasMessage("it has no private key and certificate");
      try (RespClient young = proxy.connect(STRANGER.clients())) {
        assertThat(young.call("GET", "rotated")).isEqualTo(Wire.bulk("1"));
      }
    }
  }

  private static TlsMaterial material(X509Bundle identity, TestAuthority trusted) {
    try {
      return new TlsMaterial(identity.toKeyManagerFactory(), trusted.trust(), List.of(), List.of());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aNodeMustBeTrustedAndBeTheOneThatIsMeant() {
    X509Bundle elsewhere = AUTHORITY.issue("node", b -> b.addSanDnsName("redis.example"));
    TlsBundle trusting = TlsOfTests.bundle("penstock");
    try (ServerProcess server = server(elsewhere, AUTHORITY)) {
      assertUnreachable(server, new NodeTls(trusting, Verify.FULL, null));
      assertReachable(server, new NodeTls(trusting, Verify.FULL, "redis.example"));
      assertReachable(server, new NodeTls(trusting, Verify.CA, null));
    }
    try (ServerProcess server = server(STRANGER.issue("node"), STRANGER)) {
      assertUnreachable(server, new NodeTls(trusting, Verify.FULL, null));
      assertUnreachable(server, new NodeTls(trusting, Verify.CA, null));
      var anyone = new TlsBundle("anyone", new TlsMaterial(null, null, List.of(), List.of()));
      assertReachable(server, new NodeTls(anyone, Verify.NONE, null));
    }
    try (ServerProcess server = server(AUTHORITY.issueExpired("node"), AUTHORITY)) {
      assertUnreachable(server, new NodeTls(trusting, Verify.FULL, null));
      assertReason(
          server,
          new NodeTls(trusting, Verify.FULL, null),
          "the certificate expired at 20[-0-9T:]+Z");
    }
  }

  private static void assertReason(ServerProcess server, NodeTls tls, String pattern) {
    try (ProxyFixture proxy = single(server, tls).start()) {
      await()
          .untilAsserted(() ->
              assertThat(proxy.proxy().upstreamStatus().gaps())
                  .extracting(UpstreamStatus.Gap::reason)
                  .singleElement()
                  .asString()
                  .containsPattern(pattern));
    }
  }

  private static void assertReachable(ServerProcess server, NodeTls tls) {
    try (ProxyFixture proxy = single(server, tls).startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    }
  }

  private static void assertUnreachable(ServerProcess server, NodeTls tls) {
    server.text("CONFIG", "RESETSTAT");
    try (ProxyFixture proxy =
            single(server, tls)
                .failoverHold(Duration.ZERO)
                .commandTimeout(Duration.ofMillis(500))
                .start();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).startsWith("-UNAVAILABLE");
      assertThat(server.text("INFO", "commandstats")).doesNotContain("cmdstat_set");
      assertThat(proxy.proxy().isReady()).isFalse();
      await().until(() -> proxy.stats().nodes().stream().anyMatch(node -> node.errors() > 0));
    }
  }

  @Test
  void aNodeThatWantsACertificateGetsIt() {
    try (ServerProcess server = server(AUTHORITY.issue("node"), AUTHORITY)) {
      server.text("CONFIG", "SET", "tls-auth-clients", "yes");
      assertReachable(server, TlsOfTests.nodes());
      var without =
          new TlsBundle("none", new TlsMaterial(null, AUTHORITY.trust(), List.of(), List.of()));
      assertUnreachable(server, new NodeTls(without, Verify.FULL, null));
    }
  }

  @Test
  void aLateNodeIsReconnectedWithReplacedTrust() {
    TlsBundle bundle = TlsOfTests.bundle("penstock");
    try (ServerProcess server = server(STRANGER.issue("node"), STRANGER);
        ProxyFixture proxy = single(server, new NodeTls(bundle, Verify.FULL, null)).start();
        RespClient client = proxy.connect()) {
      client.send("SET", "k", "v"); // waits in the failover hold

      bundle.replace(material(STRANGER.issue("penstock"), STRANGER));

      assertThat(client.read()).isEqualTo("+OK\r\n");
    }
  }

  @Test
  void credentialsAndDatabasesWorkOverTls() {
    try (ServerProcess server =
        ServerProcess.builder()
            .tls(AUTHORITY.files(AUTHORITY.issue("node")))
            .user("app", "pässword")
            .start()) {
      var node = new Endpoint("127.0.0.1", server.tlsPort());
      var upstream =
          new SingleUpstreamSettings(node, new Credentials("app", "pässword"), 3)
              .with(NodeTransport.of(TlsOfTests.nodes()));
      try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
          RespClient client = proxy.connect()) {
        assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
        assertThat(server.text("INFO", "keyspace")).contains("db3:keys=1");
      }
    }
  }

  @Test
  void aReaderThatDoesNotReadIsClosedByTheLimit(CapturedOutput output) {
    @Nullable RespClient slow = null;
    try (ProxyFixture limited =
        ProxyFixture.of(cluster, TlsOfTests.nodes())
            .arrivals(AcceptSettings.DEFAULTS)
            .tls(TlsOfTests.listener())
            .subscriberLimit(new OutputLimit(1 << 20, 0, Duration.ZERO))
            .startReady()) {
      slow = limited.connect(AUTHORITY.clients());
      slow.send("SUBSCRIBE", "flood");
      String message = "x".repeat(64 * 1024);
      try (RespClient publisher = limited.connect(AUTHORITY.clients())) {
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> {
              publisher.call("PUBLISH", "flood", message);
              return limited
                      .stats()
                      .pressure()
                      .closed()
                      .getOrDefault(CloseReason.OUTPUT_HARD_LIMIT, 0L)
                  > 0;
            });
        await().until(() -> limited.stats().clientsNow() == 1);
        assertThat(output).doesNotContain("Last write attempt timed out");
      }
    } finally {
      if (slow != null) {
        slow.close();
      }
    }
  }
}
