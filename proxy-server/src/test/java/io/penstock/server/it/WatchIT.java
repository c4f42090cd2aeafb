package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Optimistic locking on real servers: a change by another client is never overwritten. */
@ExtendWith(SharedCluster.class)
class WatchIT {

  private static final int SLOT = 3_137;
  private static final String TAG = Keys.tag(SLOT);

  private final List<Incrementer> clients = new ArrayList<>();
  private final Load load = new Load();

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @BeforeEach
  void start(EmbeddedCluster shared) {
    cluster = shared;
    proxy = ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(5)).startReady();
  }

  @AfterEach
  void stop() {
    load.close();
    clients.forEach(client -> client.wire.close());
    proxy.close();
    Keys.empty(cluster, SLOT);
  }

  /** Reads, adds one and writes; starts again if another client was faster. */
  private static final class Incrementer implements Runnable {
    private final RespClient wire;
    private final String key;
    private long done;
    private long tries;

    Incrementer(RespClient wire, String key) {
      this.wire = wire;
      this.key = key;
    }

    @Override
    public void run() {
      String reply;
      do {
        tries++;
        assertThat(wire.call("WATCH", key, key + ":other")).isEqualTo("+OK\r\n");
        String value = Wire.content(wire.call("GET", key)).strip();
        long next = value.startsWith("$") || value.startsWith("_") ? 1 : Long.parseLong(value) + 1;
        assertThat(wire.call("MULTI")).isEqualTo("+OK\r\n");
        assertThat(wire.call("SET", key, Long.toString(next))).isEqualTo("+QUEUED\r\n");
        reply = wire.call("EXEC");
        assertThat(reply).isIn("*1\r\n+OK\r\n", "*-1\r\n", "_\r\n");
      } while (!reply.startsWith("*1"));
      done++;
    }
  }

  private void begin(String key, int count) {
    for (int i = 0; i < count; i++) {
      RespClient wire = proxy.connect();
      if (i % 2 == 1) {
        assertThat(wire.call("HELLO", "3")).startsWith("%7\r\n");
      }
      var client = new Incrementer(wire, key);
      clients.add(client);
      load.add("incrementer " + clients.size(), client);
    }
  }

  private void verify(String key) {
    load.stop();
    long done = clients.stream().mapToLong(client -> client.done).sum();
    long tries = clients.stream().mapToLong(client -> client.tries).sum();
    System.out.println(done + " increments in " + tries + " tries");
    try (RespClient fresh = proxy.connect()) {
      assertThat(fresh.call("GET", key)).isEqualTo(Wire.bulk(Long.toString(done)));
    }
  }

  @Test
  void incrementsOfSeveralClientsAllCount() {
    begin(TAG + "counter", 6);
    load.awaitSteps(500);
    verify(TAG + "counter");
    assertThat(clients.stream().mapToLong(client -> client.tries).sum())
        .isGreaterThan(clients.stream().mapToLong(client -> client.done).sum());
  }

  @Test
  void incrementsAllCountWhileTheSlotMoves() {
    begin(TAG + "counter", 4);
    Member home = cluster.masterOf(SLOT);
    Member guest = cluster.masters().stream().filter(m -> m != home).findFirst().orElseThrow();
    for (int round = 0; round < 4; round++) {
      load.awaitFullSteps();
      cluster.migrateSlot(SLOT, round % 2 == 0 ? home : guest, round % 2 == 0 ? guest : home);
    }
    load.awaitFullSteps();
    verify(TAG + "counter");
  }

  @Test
  void tenThousandTransactionsNeedOneConnection() {
    try (RespClient wire = proxy.connect()) {
      for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 100; j++) {
          wire.write(Wire.request("WATCH", TAG + "k"))
              .write(Wire.request("MULTI"))
              .write(Wire.request("INCR", TAG + "k"))
              .write(Wire.request("EXEC"));
        }
        wire.flush();
        for (int j = 1; j <= 100; j++) {
          assertThat(wire.read()).isEqualTo("+OK\r\n");
          assertThat(wire.read()).isEqualTo("+OK\r\n");
          assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
          assertThat(wire.read()).isEqualTo("*1\r\n:" + (i * 100 + j) + "\r\n");
        }
      }
    }
    assertThat(proxy.stats().nodes().stream().mapToLong(NodeStats::exclusive).sum()).isEqualTo(1);
  }

  @Test
  void aDisconnectedClientReturnsItsConnection() {
    for (int i = 0; i < 50; i++) {
      try (RespClient wire = proxy.connect()) {
        assertThat(wire.call("WATCH", TAG + "k")).isEqualTo("+OK\r\n");
      }
    }
    Awaitility.await("leased connections are returned")
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(proxy.stats().nodes().stream().mapToLong(NodeStats::inFlight).sum())
                .isZero());
    assertThat(proxy.stats().nodes().stream().mapToLong(NodeStats::exclusive).sum())
        .isLessThanOrEqualTo(32);
  }

  @Test
  void aConnectionThatTheNodeClosesCountsAsAChange() {
    try (RespClient wire = proxy.connect()) {
      assertThat(wire.call("WATCH", TAG + "k")).isEqualTo("+OK\r\n");
      cluster.masterOf(SLOT).text("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      Awaitility.await("the connection is lost")
          .atMost(Duration.ofSeconds(20))
          .until(() -> proxy.stats().nodes().stream().mapToLong(NodeStats::exclusive).sum() == 0);
      assertThat(wire.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(wire.call("SET", TAG + "k", "v")).isEqualTo("+QUEUED\r\n");
      assertThat(wire.call("EXEC")).isEqualTo("*-1\r\n");
      assertThat(wire.call("GET", TAG + "k")).isEqualTo("$-1\r\n");
    }
  }
}
