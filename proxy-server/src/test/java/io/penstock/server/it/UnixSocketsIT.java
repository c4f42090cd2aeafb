package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.tls.TlsBundle;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unix sockets on both sides of Penstock. */
class UnixSocketsIT {

  private static final int LARGE = 3 * 1024 * 1024;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @TempDir private Path folder;
  private Path path;

  @BeforeAll
  static void startServer() {
    server = ServerProcess.builder().unixSocket().start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void clean() {
    path = folder.resolve("penstock.sock");
    server.text("FLUSHALL");
  }

  private ProxyFixture.Builder before(ServerProcess behind) {
    return ProxyFixture.ofUnixSocket(behind).listen(new ListenAddress.Unix(path.toString()));
  }

  static Stream<Arguments> setups() {
    List<Arguments> setups = new ArrayList<>();
    for (Transport transport : List.of(Transport.IO_URING, Transport.EPOLL, Transport.NIO)) {
      Throwable why = transport.unavailability();
      if (why == null) {
        setups.add(Arguments.of(transport, new Dispatch.Async()));
        setups.add(Arguments.of(transport, new Dispatch.Sync(8)));
      } else {
        System.out.println("skipped: " + transport + " is not available: " + why);
      }
    }
    return setups.stream();
  }

  @ParameterizedTest
  @MethodSource("setups")
  void serves(Transport transport, Dispatch dispatch) {
    try (ProxyFixture proxy = before(server).transport(transport).dispatch(dispatch).startReady()) {
      for (String protocol : List.of("2", "3")) {
        pipelines(proxy, protocol);
        transactions(proxy, protocol);
        blocking(proxy, protocol);
        messages(proxy, protocol);
      }
      vanishingClients(proxy);
      assertThat(proxy.stats().nodes())
          .extracting(node -> node.node().toString())
          .containsOnly(server.unixSocket().toString());
    }
    assertThat(path).doesNotExist();
  }

  private static RespClient connect(ProxyFixture proxy, String protocol) {
    RespClient client = proxy.connect();
    assertThat(client.call("HELLO", protocol)).doesNotStartWith("-");
    return client;
  }

  private static void pipelines(ProxyFixture proxy, String protocol) {
    String large = "0123456789abcdef".repeat(LARGE / 16);
    try (RespClient client = connect(proxy, protocol)) {
      for (int i = 0; i < 1_000; i++) {
        client
            .write(Wire.request("SET", "k" + i, "value " + i))
            .write(Wire.request("GET", "k" + i));
      }
      client.write(Wire.request("SET", "large", large)).write(Wire.request("GET", "large")).flush();
      for (int i = 0; i < 1_000; i++) {
        assertThat(client.read()).isEqualTo("+OK\r\n");
        assertThat(client.read()).isEqualTo(Wire.bulk("value " + i));
      }
      assertThat(client.read()).isEqualTo("+OK\r\n");
      assertThat(client.read().equals(Wire.bulk(large))).isTrue();
    }
  }

  private static void transactions(ProxyFixture proxy, String protocol) {
    try (RespClient client = connect(proxy, protocol);
        RespClient other = connect(proxy, protocol)) {
      assertThat(client.call("WATCH", "counter")).isEqualTo("+OK\r\n");
      assertThat(other.call("SET", "counter", "5")).isEqualTo("+OK\r\n");
      assertThat(client.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(client.call("INCR", "counter")).isEqualTo("+QUEUED\r\n");
      assertThat(client.call("EXEC")).isEqualTo(protocol.equals("3") ? "_\r\n" : "*-1\r\n");
      assertThat(client.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(client.call("INCR", "counter")).isEqualTo("+QUEUED\r\n");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n:6\r\n");
    }
  }

  private static void blocking(ProxyFixture proxy, String protocol) {
    try (RespClient waiting = connect(proxy, protocol);
        RespClient pushing = connect(proxy, protocol)) {
      waiting.send("BLPOP", "list", "20");
      await().until(() -> pushing.call("INFO", "clients").contains("blocked_clients:1\r\n"));
      assertThat(pushing.call("RPUSH", "list", "a")).isEqualTo(":1\r\n");
      assertThat(waiting.read()).isEqualTo("*2\r\n" + Wire.bulk("list") + Wire.bulk("a"));
    }
  }

  private static void messages(ProxyFixture proxy, String protocol) {
    String push = protocol.equals("3") ? ">3\r\n" : "*3\r\n";
    try (RespClient subscriber = connect(proxy, protocol);
        RespClient publisher = connect(proxy, protocol)) {
      assertThat(subscriber.call("SUBSCRIBE", "news"))
          .isEqualTo(push + Wire.bulk("subscribe") + Wire.bulk("news") + ":1\r\n");
      assertThat(publisher.call("PUBLISH", "news", "hello")).isEqualTo(":1\r\n");
      assertThat(subscriber.read())
          .isEqualTo(push + Wire.bulk("message") + Wire.bulk("news") + Wire.bulk("hello"));
    }
  }

  /** Clients that leave while a command of theirs is blocked, or with unread replies. */
  private static void vanishingClients(ProxyFixture proxy) {
    for (int i = 0; i < 10; i++) {
      RespClient client = proxy.connect();
      client.write(Wire.request("GET", "large")).write(Wire.request("BLPOP", "nothing", "0"));
      client.flush();
      client.close();
    }
    try (RespClient client = proxy.connect()) {
      await().until(() -> client.call("INFO", "clients").contains("\r\nconnected_clients:1\r\n"));
      await().until(() -> server.text("INFO", "clients").contains("blocked_clients:0\r\n"));
      assertThat(client.call("RPUSH", "nothing", "a")).isEqualTo(":1\r\n");
      // A call of a client that has left may pop it, and pushes it back then.
      await().until(() -> client.call("LPOP", "nothing").equals(Wire.bulk("a")));
    }
  }

  @Test
  void autoLetsClientsEndTheirSideBeforeTheReplies() {
    try (ProxyFixture proxy = before(server).startReady();
        RespClient client = proxy.connect()) {
      client.write(Wire.request("SET", "k", "v")).write(Wire.request("GET", "k"));
      client.finishSending();

      assertThat(client.readToEnd()).isEqualTo("+OK\r\n" + Wire.bulk("v"));
    }
  }

  @Test
  void clientsAreShownAndKilledAsInRedis() {
    try (ProxyFixture proxy = before(server).transport(epoll()).startReady();
        RespClient admin = proxy.connect();
        RespClient client = proxy.connect();
        RespClient direct = RespClient.open(server.unixSocket())) {
      String line = client.text("CLIENT", "INFO");
      String shown = direct.text("CLIENT", "INFO");

      String address = path + ":0";
      assertThat(shown)
          .contains(" addr=redis.sock:0 laddr=redis.sock:0 ")
          .containsPattern(" flags=U ");
      assertThat(line)
          .contains(" addr=" + address + " laddr=" + address + " ", " flags=U ")
          .containsPattern(
              " peer-pid=" + ProcessHandle.current().pid() + " peer-uid=\\d+ peer-gid=\\d+\\s*$");
      assertThat(admin.call("CLIENT", "KILL", "ADDR", "/other.sock:0")).isEqualTo(":0\r\n");
      assertThat(admin.call("CLIENT", "KILL", "ADDR", address)).isEqualTo(":1\r\n");
      assertThat(client.isClosedByPeer()).isTrue();
      try (RespClient next = proxy.connect()) {
        assertThat(next.call("PING")).isEqualTo("+PONG\r\n");
        assertThat(admin.call("CLIENT", "KILL", "LADDR", address)).isEqualTo(":1\r\n");
      }
      assertThat(admin.call("CLIENT", "KILL", address)).isEqualTo("+OK\r\n");
    }
  }

  private static Transport epoll() {
    Throwable why = Transport.EPOLL.unavailability();
    if (why != null) {
      System.out.println("skipped: epoll is not available: " + why);
    }
    Assumptions.assumeTrue(why == null, "epoll is not available");
    return Transport.EPOLL;
  }

  @Test
  void serverCommandsShowTheSocket() {
    var address =
        new ListenAddress.Unix(path.toString(), new ListenAddress.Permissions(0600, null, null));
    try (ProxyFixture proxy = ProxyFixture.ofUnixSocket(server).listen(address).startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.text("INFO", "server")).contains("tcp_port:0\r\n");
      assertThat(client.call("CONFIG", "GET", "unixsocket*"))
          .contains(
              Wire.bulk("unixsocket") + Wire.bulk(path.toString()),
              Wire.bulk("unixsocketperm") + Wire.bulk("600"));
      assertThat(client.call("CONFIG", "GET", "port"))
          .isEqualTo("*2\r\n" + Wire.bulk("port") + Wire.bulk("0"));
    }
  }

  @Test
  void aServerThatIsStartedAgainIsFound() {
    try (ServerProcess restarted = ServerProcess.builder().unixSocket().start();
        ProxyFixture proxy = before(restarted).startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      restarted.kill();
      proxy.awaitLoss();
      client.send("GET", "k"); // waits in the failover hold
      restarted.restart();

      assertThat(client.read()).isEqualTo("$-1\r\n");
      await().atMost(Duration.ofSeconds(20)).until(() -> proxy.proxy().isReady());
    }
  }

  @Test
  void aServerThatIsNotThereIsReported() {
    var missing =
        new SingleUpstreamSettings(
            Endpoint.ofUnixSocket(folder.resolve("missing.sock").toString()), null, 0);
    try (ProxyFixture proxy =
            ProxyFixture.of(missing)
                .commandTimeout(Duration.ofMillis(300))
                .failoverHold(Duration.ZERO)
                .start();
        RespClient client = proxy.connect()) {
      assertThat(client.call("GET", "k")).startsWith("-UNAVAILABLE ");
      await()
          .untilAsserted(() ->
              assertThat(proxy.proxy().reachability().failure())
                  .contains(folder.resolve("missing.sock").toString()));
    }
  }

  @Test
  void credentialsAndDatabaseAreUsed() {
    try (ServerProcess guarded =
            ServerProcess.builder().unixSocket().user("app", "s3cret").start();
        ProxyFixture proxy =
            ProxyFixture.of(
                    new SingleUpstreamSettings(
                        Endpoint.ofUnixSocket(guarded.unixSocket().toString()),
                        new Credentials("app", "s3cret"),
                        3))
                .startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(guarded.text("INFO", "keyspace")).contains("db3:keys=1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EPOLL", "IO_URING"})
  void anAbstractNameIsAListenerAndAServer(Transport transport) {
    if (!transport.hasAbstractNames()) {
      System.out.println("skipped: " + transport + " has no abstract names here");
      return;
    }
    String name = "@penstock-it-" + ProcessHandle.current().pid() + "-" + transport;
    try (ProxyFixture near =
            ProxyFixture.ofUnixSocket(server)
                .transport(transport)
                .listen(new ListenAddress.Unix(name))
                .startReady();
        ProxyFixture proxy = chained(name, null).transport(transport).startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "abstract", "1")).isEqualTo("+OK\r\n");
      assertThat(server.text("GET", "abstract")).isEqualTo("1");
      assertThat(near.stats().clientsNow()).isPositive();
    }
  }

  private static ProxyFixture.Builder chained(String name, @Nullable NodeTls tls) {
    return ProxyFixture.of(
        new SingleUpstreamSettings(Endpoint.ofUnixSocket(name), null, 0)
            .with(NodeTransport.of(tls)));
  }

  @Test
  void aUnixSocketMayHaveTls() {
    try (ProxyFixture near = before(server).tls(TlsOfTests.listener()).startReady()) {
      TlsBundle bundle = TlsOfTests.bundle("penstock");
      var named = new NodeTls(bundle, Verify.FULL, "localhost");
      for (NodeTls tls : List.of(named, new NodeTls(bundle, Verify.CA, null))) {
        try (ProxyFixture proxy = chained(near.host(), tls).startReady();
            RespClient client = proxy.connect()) {
          assertThat(client.call("SET", "tls", "1")).isEqualTo("+OK\r\n");
        }
      }
      try (ProxyFixture proxy =
              chained(near.host(), TlsOfTests.nodes()).failoverHold(Duration.ZERO).start();
          RespClient client = proxy.connect()) {
        assertThat(client.call("GET", "tls")).startsWith("-UNAVAILABLE ");
      }
    }
  }
}
