package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.change.ChangeRejectedException;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.FreePorts;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Servers that are Penstock itself, directly or by way of others, and chains that are none. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedGroup.class)
class LoopIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String HOST = "127.0.0.1";
  private static final String NAME = "moves.penstock.test";
  private static final String OF_OTHERS = "does not accept connections from this proxy: LOOP this";

  private final ServerProcess server = ServerProcess.start();
  private final List<ProxyFixture> proxies = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();

  @AfterEach
  void closeProxies() {
    proxies.forEach(ProxyFixture::close);
    proxies.clear();
    ports.forEach(FreePorts::giveBack);
    ports.clear();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static void until(String what, Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(condition);
  }

  private int port() {
    int port = FreePorts.take(HOST);
    ports.add(port);
    return port;
  }

  private static UpstreamSettings single(int port) {
    return new SingleUpstreamSettings(new Endpoint(HOST, port), null, 0);
  }

  /** With NIO: io_uring allocates a buffer for a connection that arrives while its loop ends. */
  private ProxyFixture start(ProxyFixture.Builder builder) {
    ProxyFixture started = builder.transport(Transport.NIO).start();
    proxies.add(started);
    return started;
  }

  private ProxyFixture start(UpstreamSettings upstream, int port) {
    return start(ProxyFixture.of(upstream).port(port));
  }

  private static boolean isRefused(ProxyFixture proxy) {
    try (RespClient client = proxy.connect()) {
      return client.call("GET", "k").contains(OF_OTHERS);
    }
  }

  /** Each of them tells its clients why, whichever of them refuses, and nothing goes round. */
  private void assertRefused(ProxyFixture... ring) {
    for (ProxyFixture each : ring) {
      until("it is refused", () -> isRefused(each));
    }
    for (ProxyFixture each : ring) {
      until(
          "nothing is in flight",
          () -> each.stats().nodes().stream().allMatch(node -> node.inFlight() == 0));
    }
  }

  private static String failure(ProxyFixture proxy) {
    return proxy.proxy().upstreamStatus().nodes().toString();
  }

  @Test
  void aProxyThatIsItsOwnServerRefusesItself() {
    int own = port();
    ProxyFixture proxy =
        start(ProxyFixture.of(single(own)).port(own).failoverHold(Duration.ofSeconds(2)));

    try (RespClient client = proxy.connect()) {
      assertThat(client.call("GET", "k")).startsWith("-UNAVAILABLE ").contains(OF_OTHERS);
      assertThat(client.call("SUBSCRIBE", "c")).startsWith("-UNAVAILABLE ").contains(OF_OTHERS);
      assertThat(client.call("WATCH", "k")).startsWith("-UNAVAILABLE ").contains(OF_OTHERS);
      assertThat(client.call("BLPOP", "k", "0")).startsWith("-UNAVAILABLE ").contains(OF_OTHERS);
      client.call("HELLO", "3");
      assertThat(client.call("GET", "k")).startsWith("-UNAVAILABLE ").contains(OF_OTHERS);
    }
    assertRefused(proxy);
    assertThat(proxy.proxy().isReady()).isFalse();
    until("the health check knows why", () -> failure(proxy).contains("LOOP this"));
  }

  @Test
  void aSeedOfAClusterThatIsTheProxyItselfIsNoNode() {
    int own = port();
    var seeds = new ClusterUpstreamSettings(List.of(new Endpoint(HOST, own)), null);
    ProxyFixture proxy =
        start(ProxyFixture.of(seeds).port(own).failoverHold(Duration.ofSeconds(2)));

    try (RespClient client = proxy.connect()) {
      until("why there is no topology", () -> client.call("GET", "k").contains("LOOP this"));
    }
    assertThat(proxy.proxy().isReady()).isFalse();
  }

  @Test
  void twoProxiesThatLeadToEachOtherAreRefused() {
    int one = port();
    int two = port();
    ProxyFixture first = start(single(two), one);
    ProxyFixture second = start(single(one), two);

    assertRefused(first, second);
  }

  @Test
  void aRingOfFiveIsRefused() {
    List<Integer> ring = List.of(port(), port(), port(), port(), port());
    for (int i = 0; i < ring.size(); i++) {
      start(single(ring.get((i + 1) % ring.size())), ring.get(i));
    }

    assertRefused(proxies.toArray(ProxyFixture[]::new));
  }

  @Test
  void aChainOfProxiesServesClients() {
    int middle = port();
    ProxyFixture last = start(ProxyFixture.of(server));
    start(single(last.port()), middle);
    ProxyFixture first = start(ProxyFixture.of(single(middle))).ready();
    start(ProxyFixture.of(single(middle))).ready();

    for (ProxyFixture each : proxies) {
      try (RespClient client = each.connect()) {
        assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
        assertThat(client.call("GET", "k")).isEqualTo(Wire.bulk("v"));
      }
    }
    assertThat(first.proxy().isReady()).isTrue();
  }

  /** Two processes that serve each other's servers: requests go through both, and not round. */
  @Test
  void listenersOfTwoProxiesMayCross() {
    try (ChangingProxy one = new ChangingProxy();
        ChangingProxy two = new ChangingProxy()) {
      int here = port();
      int there = port();
      one.upstream("own", server);
      one.listener("local", "own").port = here;
      one.start();
      two.upstream("own", server);
      two.upstream("others", single(here));
      two.listener("local", "own").port = there;
      two.listener("remote", "others");
      two.start();
      one.upstream("others", single(there));
      one.listener("remote", "others");
      one.apply();

      for (ChangingProxy each : List.of(one, two)) {
        try (RespClient client = each.connect("remote")) {
          assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
        }
      }
    }
  }

  @Test
  void aListenerMayBeTheServerOfAnother() {
    try (ChangingProxy proxy = new ChangingProxy()) {
      int inner = port();
      proxy.upstream("server", server);
      proxy.upstream("inner", single(inner));
      proxy.listener("inner", "server").port = inner;
      proxy.listener("outer", "inner");
      proxy.start();

      try (RespClient client = proxy.connect("outer")) {
        assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      }
    }
  }

  /** The address of a name leads back after a change, and again to the server later. */
  @Test
  void aNameThatBecomesTheProxysOwnIsRefused() throws UnknownHostException {
    TestNameResolver.put(NAME, HOST);
    var named = new SingleUpstreamSettings(new Endpoint(NAME, server.port()), null, 0);
    ProxyFixture proxy =
        start(ProxyFixture.of(named).listen(new ListenAddress.Tcp("127.0.0.2", server.port())))
            .ready();
    try (RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");

      TestNameResolver.put(NAME, "127.0.0.2");
      until(
          "the name leads back",
          () -> {
            server.text("CLIENT", "KILL", "TYPE", "normal");
            return client.call("GET", "k").contains(OF_OTHERS);
          });
      TestNameResolver.put(NAME, HOST);
      until("the server is back", () -> client.call("GET", "k").equals(Wire.bulk("v")));
    }
  }

  @Test
  void aMasterThatSentinelsNameMayNotLeadBack(SentinelGroup group) {
    int own = port();
    List<Endpoint> sentinels =
        group.sentinels().stream().map(each -> new Endpoint(each.host(), each.port())).toList();
    for (ServerProcess each : group.sentinels()) {
      each.text("SENTINEL", "MONITOR", "back", HOST, Integer.toString(own), "2");
    }
    try {
      ProxyFixture proxy =
          start(new SentinelUpstreamSettings(sentinels, "back", null, 0, null), own);

      assertRefused(proxy);
      assertThat(proxy.proxy().isReady()).isFalse();
    } finally {
      group.sentinels().forEach(each -> each.text("SENTINEL", "REMOVE", "back"));
    }
  }

  @Test
  void aChangeThatLeadsBackIsRejected() {
    try (ChangingProxy proxy = new ChangingProxy()) {
      ChangingProxy.UpstreamSpec upstream = proxy.upstream("main", server);
      proxy.listener("main", "main").port = port();
      proxy.start();
      upstream.kind = single(proxy.port("main"));

      assertThatThrownBy(proxy::apply)
          .isInstanceOf(ChangeRejectedException.class)
          .hasMessageContaining("LOOP this Penstock");
      try (RespClient client = proxy.connect("main")) {
        assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      }
    }
  }
}
