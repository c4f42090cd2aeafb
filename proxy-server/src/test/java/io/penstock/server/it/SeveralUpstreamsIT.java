package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.command.CommandRules;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.AcceptSettings;
import io.penstock.core.listener.CannotBindException;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One proxy with several listeners and upstreams: a cluster, two single servers, one that listens
 * nowhere, and one that no listener names.
 */
@ExtendWith(SharedCluster.class)
class SeveralUpstreamsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final ServerProcess one = ServerProcess.start();
  private final ServerProcess two = ServerProcess.builder().password("secret").start();
  private final ServerProcess unused = ServerProcess.start();
  private final long connectionsBefore = connectionsToUnused();
  private final Proxy proxy;

  SeveralUpstreamsIT(EmbeddedCluster cluster) {
    List<Endpoint> seeds = cluster.members().stream().map(ProxyFixture::node).toList();
    proxy =
        Proxy.create(
            settings(
                List.of(
                    listener("cluster", "cluster", null, 0),
                    listener("one", "one", null, 0),
                    listener("one-more", "one", "other", 0),
                    listener("two", "two", null, 0),
                    listener("wrong", "wrong", null, 0),
                    listener("nowhere", "nowhere", null, 0)),
                List.of(
                    upstream(
                        "cluster",
                        new ClusterUpstreamSettings(
                            seeds,
                            cluster.password() == null
                                ? null
                                : new Credentials(cluster.user(), cluster.password()))),
                    upstream("one", single(one, null)),
                    upstream("two", single(two, "secret")),
                    upstream("wrong", single(two, "guess")),
                    upstream(
                        "nowhere",
                        new SingleUpstreamSettings(new Endpoint("127.0.0.1", 1), null, 0)),
                    upstream("unused", single(unused, null)))),
            ProxyEvents.NONE);
  }

  @BeforeEach
  void start() {
    ProxyFixture.await(proxy.start());
    for (String name : List.of("cluster", "one", "one-more", "two")) {
      Awaitility.await(name).atMost(PATIENCE).until(() -> listener(name).isReady());
    }
  }

  @AfterEach
  void close() {
    ProxyFixture.await(proxy.shutdown());
    one.close();
    two.close();
    unused.close();
  }

  private static ProxySettings settings(List<Listener> listeners, List<Upstream> upstreams) {
    return new ProxySettings(
        listeners,
        upstreams,
        List.of(),
        List.of(),
        DispatchMode.dispatch(),
        CommandRules.NONE,
        Transport.AUTO,
        1,
        Duration.ofMillis(5),
        Duration.ofSeconds(30));
  }

  private static Listener listener(
      String name, String upstream, @Nullable String password, int port) {
    return new Listener(
        name,
        upstream,
        new ProxySettings.Listen(
            new ListenAddress.Tcp("127.0.0.1", port),
            100,
            password,
            Duration.ZERO,
            1 << 20,
            AcceptSettings.DEFAULTS,
            ClientLimits.DEFAULTS,
            CrossSlotSettings.REJECT,
            null),
        null);
  }

  private static Upstream upstream(String name, UpstreamSettings kind) {
    return upstream(name, kind, TIMEOUT);
  }

  private static Upstream upstream(String name, UpstreamSettings kind, Duration commandTimeout) {
    return new Upstream.Resp(
        name,
        kind,
        new ProxySettings.Backend(
            TIMEOUT,
            commandTimeout,
            1,
            100,
            new ProxySettings.FailoverHold(TIMEOUT, 100),
            QueueLimits.DEFAULTS),
        new ProxySettings.Refresh(Duration.ofSeconds(30), Duration.ofMillis(250)),
        ReadSettings.MASTER_ONLY);
  }

  private static SingleUpstreamSettings single(ServerProcess server, @Nullable String password) {
    return new SingleUpstreamSettings(
        new Endpoint(server.host(), server.port()),
        password == null ? null : new Credentials(null, password),
        0);
  }

  private long connectionsToUnused() {
    return unused
        .text("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  private ProxyListener listener(String name) {
    return listener(proxy, name);
  }

  private static ProxyListener listener(Proxy proxy, String name) {
    return proxy.listeners().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private RespClient connect(String name) {
    return connect(proxy, name);
  }

  private static RespClient connect(Proxy proxy, String name) {
    int port = Objects.requireNonNull(listener(proxy, name).address()).getPort();
    return RespClient.open("127.0.0.1", port);
  }

  private List<NodeStats> nodes(String upstream) {
    return Objects.requireNonNull(ProxyFixture.await(proxy.statsByName()).upstreams().get(upstream))
        .nodes();
  }

  /** Asserts that the listeners of working servers serve requests. */
  private void assertOthersAreServed(String... names) {
    for (String name : names) {
      try (RespClient client = connect(name)) {
        for (int i = 0; i < 100; i++) {
          assertThat(client.call("SET", "k" + i, name)).isEqualTo("+OK\r\n");
          assertThat(client.call("GET", "k" + i)).isEqualTo(Wire.bulk(name));
        }
      }
    }
  }

  @Test
  void eachListenerServesItsUpstream() {
    try (RespClient cluster = connect("cluster");
        RespClient first = connect("one");
        RespClient second = connect("two")) {
      cluster.call("SET", "k", "cluster");
      first.call("SET", "k", "one");
      second.call("SET", "k", "two");

      assertThat(cluster.call("GET", "k")).isEqualTo(Wire.bulk("cluster"));
      assertThat(first.call("GET", "k")).isEqualTo(Wire.bulk("one"));
      assertThat(second.call("GET", "k")).isEqualTo(Wire.bulk("two"));
      assertThat(one.text("GET", "k")).isEqualTo("one");
    }
  }

  @Test
  void listenersOfOneUpstreamShareItsConnections() {
    DispatchMode.assumeSharedConnections();
    try (RespClient first = connect("one");
        RespClient second = connect("one-more")) {
      assertThat(second.call("AUTH", "other")).isEqualTo("+OK\r\n");
      first.call("SET", "k", "shared");
      assertThat(second.call("GET", "k")).isEqualTo(Wire.bulk("shared"));

      assertThat(nodes("one")).singleElement().returns(1L, NodeStats::connections);
    }
  }

  @Test
  void eachListenerHasItsPassword() {
    try (RespClient open = connect("one");
        RespClient closed = connect("one-more")) {
      assertThat(open.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(closed.call("PING")).startsWith("-NOAUTH");
      assertThat(closed.call("AUTH", "other")).isEqualTo("+OK\r\n");
      assertThat(closed.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void clientsOfAnotherListenerAreNeitherListedNorKilled() {
    try (RespClient first = connect("one");
        RespClient second = connect("two")) {
      String id = first.call("CLIENT", "ID").substring(1).strip();
      String other = second.call("CLIENT", "ID");

      assertThat(other).isNotEqualTo(first.call("CLIENT", "ID"));
      assertThat(Wire.content(second.call("CLIENT", "LIST")).lines()).hasSize(1);
      assertThat(second.call("CLIENT", "KILL", "ID", id)).isEqualTo(":0\r\n");
      assertThat(second.call("INFO", "clients")).contains("connected_clients:1\r\n");
      assertThat(first.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void aFrozenServerDelaysNoOtherUpstream() {
    try (RespClient client = connect("two")) {
      assertThat(client.call("SET", "k", "1")).isEqualTo("+OK\r\n");
      FrozenNode.freeze(two);
      client.send("GET", "k");

      assertOthersAreServed("cluster", "one");
      assertThat(client.read()).startsWith("-TIMEOUT");
      Awaitility.await().atMost(PATIENCE).until(() -> !listener("two").isReady());
      assertThat(listener("one").isReady()).isTrue();
      assertThat(listener("cluster").isReady()).isTrue();
      assertOthersAreServed("cluster", "one");
    } finally {
      two.resume();
    }
    Awaitility.await().atMost(PATIENCE).until(() -> listener("two").isReady());
  }

  @Test
  void aKilledServerHarmsNoOtherUpstream() {
    try (RespClient client = connect("two")) {
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
      two.kill();

      assertOthersAreServed("cluster", "one");
      assertThat(client.call("GET", "k")).startsWith("-");
      assertThat(proxy.isReady()).isFalse();
    }
  }

  @Test
  void anUnusableUpstreamConcernsItsOwnClientsOnly() {
    try (RespClient nowhere = connect("nowhere");
        RespClient wrong = connect("wrong")) {
      assertThat(nowhere.call("GET", "k")).startsWith("-UNAVAILABLE");
      assertThat(wrong.call("GET", "k")).startsWith("-");
    }
    assertThat(listener("nowhere").isReady()).isFalse();
    assertThat(listener("wrong").isReady()).isFalse();
    assertThat(((RespUpstream) listener("wrong").upstream()).reachability().reached()).isFalse();
    assertOthersAreServed("cluster", "one", "two");
  }

  /** Returns a proxy whose commands may take long. */
  private Proxy patientProxy() {
    return Proxy.create(
        settings(
            List.of(
                listener("one", "one", null, 0),
                listener("two", "two", null, 0),
                listener("two-more", "two", null, 0)),
            List.of(
                upstream("one", single(one, null), PATIENCE),
                upstream("two", single(two, "secret"), PATIENCE))),
        ProxyEvents.NONE);
  }

  private static long inFlight(Proxy proxy) {
    return ProxyFixture.await(proxy.stats()).nodes().stream().mapToLong(NodeStats::inFlight).sum();
  }

  @Test
  void aDrainAnswersRequestsInFlightOnEachListener() {
    Proxy patient = patientProxy();
    ProxyFixture.await(patient.start());
    try (RespClient idle = connect(patient, "one");
        RespClient busy = connect(patient, "two");
        RespClient busyToo = connect(patient, "two-more")) {
      assertThat(idle.call("SET", "k", "1")).isEqualTo("+OK\r\n");
      assertThat(busy.call("SET", "k", "2")).isEqualTo("+OK\r\n");
      assertThat(busyToo.call("GET", "k")).isEqualTo(Wire.bulk("2"));
      FrozenNode.freeze(two);
      busy.send("GET", "k");
      busyToo.send("INCR", "n");
      Awaitility.await().atMost(PATIENCE).until(() -> inFlight(patient) == 2);

      CompletableFuture<Void> drained = patient.drain(PATIENCE).toCompletableFuture();

      assertThat(idle.isClosedByPeer()).isTrue();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> patient.listeners().stream().noneMatch(ProxyListener::isListening));
      assertThat(drained).isNotDone();
      two.resume();
      assertThat(busy.read()).isEqualTo(Wire.bulk("2"));
      assertThat(busyToo.read()).isEqualTo(":1\r\n");
      assertThat(busy.isClosedByPeer()).isTrue();
      assertThat(busyToo.isClosedByPeer()).isTrue();
      assertThat(drained).succeedsWithin(PATIENCE);
    } finally {
      two.resume();
      ProxyFixture.await(patient.shutdown());
    }
  }

  @Test
  void anUnusedUpstreamHasNoConnections() {
    assertThat(connectionsToUnused()).isEqualTo(connectionsBefore + 1); // the one that asks
    assertThat(proxy.upstreams()).noneMatch(each -> each.name().equals("unused"));
  }

  @Test
  void connectionsAreMadeForTheFirstClient() {
    assertThat(nodes("two")).isEmpty();

    try (RespClient client = connect("two")) {
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
      Awaitility.await().atMost(PATIENCE).until(() -> !nodes("two").isEmpty());
    }
  }

  @Test
  void statisticsAreOfAListenerAndOfAnUpstream() {
    assertOthersAreServed("one");

    var stats = ProxyFixture.await(proxy.statsByName());

    ProxyStats ofOne = stats.listeners().getOrDefault("one", ProxyStats.NONE);
    assertThat(ofOne.commands()).extracting("name").contains("SET", "GET");
    assertThat(ofOne.clientsTotal()).isEqualTo(1);
    assertThat(stats.listeners())
        .hasEntrySatisfying("two", none -> assertThat(none.commands()).isEmpty());
    assertThat(stats.sum().clientsTotal()).isEqualTo(1);
    assertThat(stats.loops().loops()).hasSize(1);
  }

  @Test
  void ifOnePortIsInUseNoListenerStaysBound() throws IOException {
    List<Integer> free = new ArrayList<>();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        free.add(probe.getLocalPort());
      }
      Proxy second =
          Proxy.create(
              settings(
                  List.of(
                      listener("free", "one", null, free.getFirst()),
                      listener("taken", "one", null, taken.getLocalPort())),
                  List.of(upstream("one", single(one, null)))),
              ProxyEvents.NONE);

      assertThatThrownBy(() -> second.start().toCompletableFuture().join())
          .hasCauseInstanceOf(CannotBindException.class)
          .hasMessageContaining("Listener taken: cannot listen on");
      assertThat(second.listeners()).noneMatch(ProxyListener::isListening);
      new ServerSocket(free.getFirst(), 1, InetAddress.getLoopbackAddress()).close();
      ProxyFixture.await(second.shutdown());
    }
  }
}
