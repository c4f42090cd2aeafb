package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Zones;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One upstream for writes and two servers for reads. Nothing copies values, so that each server's
 * are its own.
 */
@ExtendWith(SharedCluster.class)
class SplitUpstreamsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String OK = "+OK\r\n";

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess write;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess one;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess two;

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @BeforeAll
  static void start() {
    write = ServerProcess.start();
    one = ServerProcess.start();
    two = ServerProcess.start();
  }

  @AfterAll
  static void stop() {
    Stream.of(write, one, two).forEach(ServerProcess::close);
  }

  @BeforeEach
  void empty(EmbeddedCluster shared) {
    cluster = shared;
    Stream.of(write, one, two).forEach(each -> each.text("FLUSHALL"));
    write.text("SET", "who", "write");
    one.text("SET", "who", "one");
    two.text("SET", "who", "two");
    shared.masters().forEach(each -> each.text("FLUSHALL"));
  }

  private static UpstreamSettings single(ServerProcess server) {
    return new SingleUpstreamSettings(new Endpoint(server.host(), server.port()), null, 0);
  }

  private static ReadPart masters(ServerProcess server) {
    return new ReadPart(single(server), true, false);
  }

  private static ReadSettings reads(ReadFrom from, Duration ownWrites) {
    return new ReadSettings(
        from, Balance.ROUND_ROBIN, Zones.NONE, ReadSettings.NO_LAG_LIMIT, ownWrites, false);
  }

  private static ProxyFixture proxy(UpstreamSettings kind, Duration ownWrites) {
    return ProxyFixture.of(kind).reads(reads(ReadFrom.REPLICA_PREFERRED, ownWrites)).startReady();
  }

  private static ProxyFixture proxy(Duration ownWrites) {
    return proxy(
        new SplitUpstreamSettings(single(write), List.of(masters(one), masters(two))), ownWrites);
  }

  private static void awaitReads(RespClient client, String... from) {
    await().atMost(PATIENCE).until(() -> Set.of(from).contains(client.text("GET", "who")));
  }

  @Test
  void readsGoToTheServersForReadsAndAllElseToTheOther() {
    try (ProxyFixture proxy = proxy(Duration.ZERO);
        RespClient first = proxy.connect();
        RespClient second = proxy.connect()) {
      awaitReads(first, "one", "two");
      awaitReads(second, "one", "two");
      Set<String> read = new TreeSet<>();
      for (int i = 0; i < 4; i++) {
        try (RespClient client = proxy.connect()) {
          awaitReads(client, "one", "two");
          String where = client.text("GET", "who");
          read.add(where);
          for (int j = 0; j < 20; j++) {
            assertThat(client.text("GET", "who")).as("it stays").isEqualTo(where);
          }
        }
      }
      assertThat(read).containsExactly("one", "two");

      assertThat(first.call("SET", "k", "v")).isEqualTo(OK);
      assertThat(write.text("GET", "k")).isEqualTo("v");
      assertThat(first.call("GET", "k")).isEqualTo("$-1\r\n");
      assertThat(first.call("DBSIZE")).isEqualTo(":2\r\n");
      assertThat(first.call("EVAL", "return redis.call('GET', KEYS[1])", "1", "who"))
          .isEqualTo(Wire.bulk("write"));
    }
  }

  @Test
  void aClientReadsWhatItWrote() {
    try (ProxyFixture proxy = proxy(Duration.ofMinutes(1));
        RespClient client = proxy.connect();
        RespClient other = proxy.connect()) {
      awaitReads(client, "one", "two");
      awaitReads(other, "one", "two");
      for (int i = 0; i < 50; i++) {
        client.send("SET", "k", "v" + i);
        client.send("GET", "k");
        assertThat(client.read()).isEqualTo(OK);
        assertThat(client.read()).isEqualTo(Wire.bulk("v" + i));
      }
      assertThat(other.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void transactionsAndWhatTheyWatchAreAtTheServerForWrites() {
    try (ProxyFixture proxy = proxy(Duration.ZERO);
        RespClient client = proxy.connect()) {
      awaitReads(client, "one", "two");
      assertThat(client.call("WATCH", "who")).isEqualTo(OK);
      assertThat(client.call("GET", "who")).isEqualTo(Wire.bulk("write"));
      assertThat(client.call("MULTI")).isEqualTo(OK);
      client.call("GET", "who");
      assertThat(client.call("EXEC")).isEqualTo("*1\r\n" + Wire.bulk("write"));
    }
  }

  @Test
  void aServerForReadsThatFailsIsLeftOutUntilItIsBack() {
    try (ProxyFixture proxy = proxy(Duration.ZERO);
        RespClient client = proxy.connect()) {
      awaitReads(client, "one", "two");
      FrozenNode.freeze(one);
      FrozenNode.freeze(two);
      awaitReads(client, "write");
      two.resume();
      awaitReads(client, "two");
      one.resume();
      try (RespClient third = proxy.connect()) {
        await()
            .atMost(PATIENCE)
            .until(() -> {
              try (RespClient next = proxy.connect()) {
                return next.text("GET", "who").equals("one");
              }
            });
        awaitReads(third, "one", "two");
      }
    } finally {
      one.resume();
      two.resume();
    }
  }

  /** Nothing else can serve writes: they wait as without split. */
  @Test
  void aWriteIsHeldUntilItsServerIsBack() {
    try (ProxyFixture proxy = proxy(Duration.ZERO);
        RespClient client = proxy.connect()) {
      awaitReads(client, "one", "two");
      write.kill();
      client.send("SET", "k", "v");
      await()
          .atMost(PATIENCE)
          .until(() -> proxy.stats().held().now() == 1 || client.available() > 0);
      if (client.available() > 0) { // it was sent before the end of the connection was seen
        assertThat(client.read()).startsWith("-CONNLOST ");
        client.send("SET", "k", "v");
        await().atMost(PATIENCE).until(() -> proxy.stats().held().now() == 1);
      }
      write.restart();
      assertThat(client.read()).isEqualTo("+OK\r\n");
    } finally {
      if (!write.isRunning()) {
        write.restart();
      }
    }
  }

  /** All keys of a cluster are read at one server. */
  @Test
  void aServerMayBeReadForACluster() {
    var whole =
        new ClusterUpstreamSettings(
            cluster.members().stream().map(ProxyFixture::node).toList(), null);
    var split = new SplitUpstreamSettings(whole, List.of(masters(one)));
    try (ProxyFixture proxy = proxy(split, Duration.ZERO);
        RespClient client = proxy.connect()) {
      awaitReads(client, "one");
      for (int i = 0; i < 30; i++) {
        assertThat(client.call("SET", "k" + i, "v")).isEqualTo(OK);
        one.text("SET", "k" + i, "of one");
        awaitValue(client, "k" + i, "of one");
      }
      assertThat(client.call("MGET", "k1", "k2", "k3"))
          .isEqualTo("*3\r\n" + Wire.bulk("of one").repeat(3));
      assertThat(client.call("DBSIZE")).isEqualTo(":30\r\n");
    }
  }

  private static void awaitValue(RespClient client, String key, String value) {
    await().atMost(PATIENCE).until(() -> client.text("GET", key).equals(value));
  }
}
