package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * {@code redis-proxies://}: several equal proxies. Where it matters which proxy a client uses, they
 * are servers with data of their own; otherwise Penstocks in front of one server.
 */
class ProxiesIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static void until(String what, Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(condition);
  }

  private static ProxyFixture over(ServerProcess... servers) {
    return start(
        List.of(servers).stream()
            .map(server -> new Endpoint(server.host(), server.port()))
            .toList());
  }

  private static ProxyFixture start(List<Endpoint> proxies) {
    ProxyFixture proxy =
        ProxyFixture.of(new ProxiesUpstreamSettings(proxies, null, 0))
            .failoverHold(Duration.ofSeconds(20))
            .start();
    until("the proxy is ready", () -> proxy.proxy().isReady());
    return proxy;
  }

  /** A Penstock in front of the server, as one of the proxies. */
  private static ProxyFixture front(ServerProcess server, int port) {
    return ProxyFixture.of(server).port(port).startReady();
  }

  private static Endpoint address(ProxyFixture proxy) {
    return new Endpoint(proxy.host(), proxy.port());
  }

  @Test
  void clientsAreSpreadEvenlyOverTheProxies() {
    List<RespClient> clients = new ArrayList<>();
    try (ServerProcess one = ServerProcess.start();
        ServerProcess two = ServerProcess.start();
        ServerProcess three = ServerProcess.start();
        ProxyFixture proxy = over(one, two, three)) {
      for (int i = 0; i < 30; i++) {
        RespClient client = proxy.connect();
        clients.add(client);
        assertThat(client.call("SET", "client" + i, "v")).isEqualTo("+OK\r\n");
        assertThat(client.call("GET", "client" + i)).isEqualTo(Wire.bulk("v"));
      }

      for (ServerProcess each : List.of(one, two, three)) {
        assertThat(each.text("DBSIZE")).as("clients of %s", each).isEqualTo("10");
      }
    } finally {
      clients.forEach(RespClient::close);
    }
  }

  @Test
  void clientsUseTheNextProxyUntilTheirOwnReturns() {
    try (ServerProcess one = ServerProcess.start();
        ServerProcess two = ServerProcess.start();
        ProxyFixture proxy = over(one, two);
        RespClient first = proxy.connect()) {
      assertThat(first.call("SET", "k", "of one")).isEqualTo("+OK\r\n");
      two.text("SET", "k", "of two");
      try (RespClient second = proxy.connect()) {
        assertThat(second.call("GET", "k")).isEqualTo(Wire.bulk("of two"));

        one.kill();
        until("the other proxy", () -> first.call("GET", "k").equals(Wire.bulk("of two")));
        assertThat(second.call("GET", "k")).isEqualTo(Wire.bulk("of two"));
        until("ready by the other one", () -> proxy.proxy().isReady());

        one.restart();
        one.text("SET", "k", "of one again");
        until("it returns", () -> first.call("GET", "k").equals(Wire.bulk("of one again")));
        assertThat(second.call("GET", "k")).isEqualTo(Wire.bulk("of two"));
      }
    }
  }

  @Test
  void clientsOfAFrozenProxyUseTheNextOne() {
    try (ServerProcess one = ServerProcess.start();
        ServerProcess two = ServerProcess.start();
        ProxyFixture proxy = over(one, two);
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "of one")).isEqualTo("+OK\r\n");
      two.text("SET", "k", "of two");

      one.pause();
      try {
        until("the other proxy", () -> client.call("GET", "k").equals(Wire.bulk("of two")));
      } finally {
        one.resume();
      }

      until("it returns", () -> client.call("GET", "k").equals(Wire.bulk("of one")));
    }
  }

  @Test
  void requestsOfAllKindsMoveToTheNextProxy() {
    try (ServerProcess server = ServerProcess.start();
        ProxyFixture two = front(server, 0)) {
      ProxyFixture one = front(server, 0);
      try (ProxyFixture proxy = start(List.of(address(one), address(two)));
          Clients even = Clients.of(proxy);
          Clients odd = Clients.of(proxy)) { // three clients later: on the other lanes
        even.begin(server);
        odd.begin(server);

        one.close();

        even.end();
        odd.end();
      } finally {
        one.close();
      }
    }
  }

  /** Three clients, for one kind of request each. */
  private record Clients(RespClient blocked, RespClient subscriber, RespClient writer)
      implements AutoCloseable {

    static Clients of(ProxyFixture proxy) {
      return new Clients(connect(proxy), connect(proxy), connect(proxy));
    }

    private static RespClient connect(ProxyFixture proxy) {
      RespClient client = proxy.connect();
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n"); // it is accepted before the next one
      return client;
    }

    private String name() {
      return "of" + System.identityHashCode(this);
    }

    void begin(ServerProcess server) {
      int before = blocked(server);
      subscriber.call("SUBSCRIBE", name());
      blocked.send("XREAD", "BLOCK", "0", "STREAMS", "stream" + name(), "0");
      until("the call blocks", () -> blocked(server) > before);
      assertThat(writer.call("SELECT", "1")).isEqualTo("+OK\r\n");
      assertThat(writer.call("SET", name(), "0")).isEqualTo("+OK\r\n");
    }

    private static int blocked(ServerProcess server) {
      return server
          .text("INFO", "clients")
          .lines()
          .filter(line -> line.startsWith("blocked_clients:"))
          .mapToInt(line -> Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
          .sum();
    }

    void end() {
      assertThat(writer.call("GET", name())).isEqualTo(Wire.bulk("0"));
      writer.call("MULTI");
      writer.call("INCR", name());
      assertThat(writer.call("EXEC")).isEqualTo("*1\r\n:1\r\n");
      String script = "return redis.call('INCR', KEYS[1])";
      assertThat(writer.call("EVAL", script, "1", name())).isEqualTo(":2\r\n");
      until("the message arrives", () -> writer.call("PUBLISH", name(), "m").equals(":1\r\n"));
      assertThat(subscriber.read()).contains(Wire.bulk("m"));
      assertThat(writer.call("SELECT", "0")).isEqualTo("+OK\r\n");
      writer.call("XADD", "stream" + name(), "1-1", "f", "v");
      assertThat(blocked.read()).contains(Wire.bulk("1-1"));
    }

    @Override
    public void close() {
      blocked.close();
      subscriber.close();
      writer.close();
    }
  }
}
