package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.penstock.core.transport.Transport;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Too many, too slow, misbehaving and disconnected clients, and the shutdown of the proxy. */
@ExtendWith(SteadyCluster.class)
class LimitsIT {

  private static final int MEGABYTE = 1024 * 1024;

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static Member node;

  @SuppressWarnings("NullAway.Init")
  private static String tag;

  @BeforeAll
  static void startCluster(EmbeddedCluster shared) {
    cluster = shared;
    node = cluster.masters().getFirst();
    tag = Keys.tag(Keys.slotOf(cluster, node));
  }

  @AfterEach
  void resume() {
    node.resume();
  }

  @Test
  void clientsAboveTheLimitAreRejectedAsByRedis() {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).maxClients(3).startReady()) {
      List<RespClient> admitted = new ArrayList<>();
      try {
        for (int i = 0; i < 3; i++) {
          admitted.add(proxy.connect());
          assertThat(admitted.get(i).call("PING")).isEqualTo("+PONG\r\n");
        }
        try (RespClient refused = proxy.connect()) {
          assertThat(refused.read()).isEqualTo("-ERR max number of clients reached\r\n");
          assertThat(refused.isClosedByPeer()).isTrue();
        }
        assertThat(proxy.stats().clientsRejected()).isEqualTo(1);
        assertThat(proxy.stats().clientsNow()).isEqualTo(3);

        admitted.removeFirst().close();
        Awaitility.await().until(() -> proxy.stats().clientsNow() == 2);
        admitted.add(proxy.connect());
        assertThat(admitted.getLast().call("PING")).isEqualTo("+PONG\r\n");
      } finally {
        admitted.forEach(RespClient::close);
      }
    }
  }

  @Test
  void aDrainAnswersRequestsInFlightAndThenCloses() {
    try (ProxyFixture proxy =
            ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(10)).startReady();
        RespClient idle = proxy.connect();
        RespClient busy = proxy.connect()) {
      assertThat(idle.call("SET", tag + "k", "v")).isEqualTo("+OK\r\n");
      assertThat(busy.call("GET", tag + "k")).isEqualTo(Wire.bulk("v")); // connects its loop
      FrozenNode.freeze(node);
      busy.write(Wire.request("GET", tag + "k"))
          .write(Wire.request("INCR", tag + "n"))
          .write("*1\r\n$4\r\nPI")
          .flush();
      Awaitility.await().until(() -> inFlight(proxy) == 2);

      CompletableFuture<Void> drained =
          proxy.proxy().drain(Duration.ofSeconds(15)).toCompletableFuture();

      assertThat(idle.isClosedByPeer()).isTrue();
      Awaitility.await("no client is accepted").until(() -> isRejected(proxy));
      assertThat(proxy.proxy().isReady()).isFalse();
      assertThat(drained.isDone()).isFalse();
      node.resume();
      assertThat(busy.read()).isEqualTo(Wire.bulk("v"));
      assertThat(busy.read()).isEqualTo(":1\r\n");
      assertThat(busy.isClosedByPeer()).isTrue();
      Awaitility.await().until(drained::isDone);
    }
  }

  @Test
  void aDrainEndsWhenItsTimeIsUp() {
    try (ProxyFixture proxy =
            ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(10)).startReady();
        RespClient busy = proxy.connect()) {
      assertThat(busy.call("GET", tag + "none")).isEqualTo("$-1\r\n"); // connects its loop
      FrozenNode.freeze(node);
      busy.send("GET", tag + "k");
      Awaitility.await().until(() -> inFlight(proxy) == 1);
      ProxyFixture.await(proxy.proxy().drain(Duration.ofMillis(200)));
      ProxyFixture.await(proxy.proxy().shutdown());
      assertThat(busy.isClosedByPeer()).isTrue();
    }
  }

  @Test
  void readingFromAClientThatReadsNothingIsPaused() {
    try (ProxyFixture proxy =
            ProxyFixture.of(cluster)
                .eventLoops(1)
                .commandTimeout(Duration.ofSeconds(10)) // for 80 MB
                .startReady();
        RespClient greedy = RespClient.open(proxy.host(), proxy.port(), 4_096);
        RespClient other = proxy.connect()) {
      assertThat(other.call("SET", tag + "k", "x".repeat(300_000))).isEqualTo("+OK\r\n");
      long before = directMemory();
      Thread writer =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  String get = Wire.request("GET", tag + "k");
                  for (int i = 0; i < 1_000_000; i++) {
                    greedy.write(get);
                  }
                } catch (UncheckedIOException e) {
                  // closed at the end of the test, while the write blocks
                }
              });
      long most = 0;
      for (int i = 0; i < 1_000; i++) {
        assertThat(other.call("GET", tag + "k")).hasSize(300_000 + "$300000\r\n\r\n".length());
        most = Math.max(most, directMemory() - before);
      }
      assertThat(writer.isAlive()).as("reading from the client is paused").isTrue();
      System.out.println("a client that reads nothing takes at most " + most / MEGABYTE + " MB");
      // 256 requests are in flight before the first reply shows how large replies are.
      assertThat(most).isLessThan(128L * MEGABYTE);

      for (int i = 0; i < 300; i++) {
        assertThat(greedy.read()).startsWith("$300000\r\n");
      }
      greedy.reset();
      Awaitility.await().until(() -> !writer.isAlive() && proxy.stats().clientsNow() == 1);
    }
  }

  @Test
  void disconnectedClientsLeaveNothingBehind() {
    try (ProxyFixture proxy =
            ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(10)).startReady();
        RespClient stays = proxy.connect()) {
      assertThat(stays.call("SET", tag + "k", "v")).isEqualTo("+OK\r\n");
      for (String half :
          List.of(
              "*", "*3\r\n", "*2\r\n$3\r\nGET\r\n$1000000\r\nabc", "GET ", "*1\r\n$4\r\nPING")) {
        try (RespClient wire = proxy.connect()) {
          wire.write(half).flush();
        }
      }
      FrozenNode.freeze(node);
      for (int i = 0; i < 20; i++) {
        RespClient wire = proxy.connect();
        for (int j = 0; j < 50; j++) {
          wire.write(Wire.request("GETSET", tag + "gone", i + ":" + j))
              .write(Wire.request("MGET", tag + "gone", "elsewhere"));
        }
        wire.flush();
        if (i % 2 == 0) {
          wire.reset();
        } else {
          wire.close();
        }
      }
      stays.write(Wire.request("GET", tag + "k")).flush();
      node.resume();
      assertThat(stays.read()).isEqualTo(Wire.bulk("v"));
      Awaitility.await().until(() -> proxy.stats().clientsNow() == 1 && inFlight(proxy) == 0);
      assertThat(stays.call("GET", tag + "k")).isEqualTo(Wire.bulk("v"));
    }
  }

  /** Redis answers all requests before the end of input too. */
  @ParameterizedTest
  @EnumSource(Transport.class)
  void aClientThatShutsDownItsOutputGetsItsReplies(Transport transport) {
    Assumptions.assumeTrue(transport.unavailability() == null, "transport is not available");
    int count = 6_000;
    try (ProxyFixture proxy = ProxyFixture.of(cluster).transport(transport).startReady();
        RespClient wire = proxy.connect()) {
      var expected = new StringBuilder();
      for (int i = 0; i < count; i++) {
        wire.write(Wire.request("SET", "half" + i % 7, Integer.toString(i)));
        wire.write(Wire.request("GET", "half" + i % 7));
        expected.append("+OK\r\n").append(Wire.bulk(Integer.toString(i)));
      }
      wire.write("*1\r\n$4\r\nPI").finishSending();
      assertThat(wire.readToEnd().equals(expected.toString())).isTrue();
      Awaitility.await().until(() -> proxy.stats().clientsNow() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*1\r\n:1\r\n",
        "*1\r\nPING\r\n",
        "*2147483648\r\n",
        "*abc\r\n",
        "*1 \r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$abc\r\n",
        "*1\r\n$536870913\r\n",
        "*1\r\n$+4\r\nPING\r\n",
        "*4294967296\r\n",
        "SET \"unbalanced\r\n",
        "GET 'un\"balanced\r\n"
      })
  void protocolErrorsAreReportedAsByRedisAndEndTheConnection(String bytes) {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient throughProxy = proxy.connect();
        RespClient direct = RespClient.open(node.host(), node.port())) {
      for (RespClient wire : List.of(throughProxy, direct)) {
        wire.write(Wire.request("PING")).write(bytes).flush();
      }
      assertThat(throughProxy.read()).isEqualTo("+PONG\r\n");
      assertThat(direct.read()).isEqualTo("+PONG\r\n");
      assertThat(throughProxy.readToEnd()).isEqualTo(direct.readToEnd());
    }
  }

  @Test
  void emptyRequestsAreIgnoredAsByRedis() {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient wire = proxy.connect()) {
      wire.write("*0\r\n*-1\r\n\r\n*-2147483649\r\n").write(Wire.request("PING")).flush();
      assertThat(wire.read()).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void aLineWithoutAnEndIsRejected() {
    try (ProxyFixture proxy = ProxyFixture.of(cluster).startReady();
        RespClient wire = proxy.connect()) {
      wire.write("x".repeat(70_000)).flush();
      assertThat(wire.read()).isEqualTo("-ERR Protocol error: too big inline request\r\n");
      assertThat(wire.isClosedByPeer()).isTrue();
    }
  }

  private static boolean isRejected(ProxyFixture proxy) {
    try {
      proxy.connect().close();
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }

  private static long inFlight(ProxyFixture proxy) {
    return proxy.stats().nodes().stream().mapToLong(stats -> stats.inFlight()).sum();
  }

  /** Returns how many clients were closed because of a limit. */
  static long closed(ProxyFixture proxy) {
    return proxy.stats().pressure().closed().values().stream().mapToLong(count -> count).sum();
  }

  static long directMemory() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }
}
