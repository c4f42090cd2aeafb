package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Blocking commands on real servers: other clients are not delayed, and nothing is lost. */
@ExtendWith(SharedCluster.class)
class BlockingIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int SLOT = 2_137;
  private static final String TAG = Keys.tag(SLOT);
  private static final String QUEUE = TAG + "queue";
  private static final String NIL = "*-1\r\n";

  private final List<RespClient> wires = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @BeforeEach
  void start(EmbeddedCluster shared) {
    cluster = shared;
    proxy = ProxyFixture.of(cluster).startReady();
  }

  @AfterEach
  void stop() {
    wires.forEach(RespClient::close);
    proxy.close();
    Keys.empty(cluster, SLOT);
  }

  private RespClient connect() {
    RespClient wire = proxy.connect();
    wires.add(wire);
    return wire;
  }

  private RespClient blocked(String... call) {
    RespClient wire = connect();
    long before = blockedClients();
    wire.send(call);
    awaitBlocked(before + 1);
    return wire;
  }

  private long blockedClients() {
    return blockedClients(cluster.masterOf(SLOT));
  }

  private static long blockedClients(Member member) {
    String info = member.text("INFO", "clients");
    return info.lines()
        .filter(line -> line.startsWith("blocked_clients:"))
        .mapToLong(line -> Long.parseLong(line.substring("blocked_clients:".length()).strip()))
        .sum();
  }

  private void awaitBlocked(long count) {
    Awaitility.await(count + " blocked clients")
        .atMost(PATIENCE)
        .until(() -> blockedClients() == count);
  }

  private static String popped(String element) {
    return "*2\r\n" + Wire.bulk(QUEUE) + Wire.bulk(element);
  }

  @Test
  void aThousandBlockedClientsAreServed() {
    int clients = 1_000;
    for (int i = 0; i < clients; i++) {
      connect().send("BLPOP", TAG + i, "0");
      if ((i + 1) % 100 == 0) {
        awaitBlocked(i + 1); // with sync, at most 128 calls at once are tried at a node
      }
    }
    RespClient other = connect();
    assertThat(other.call("SET", TAG + "s", "v")).isEqualTo("+OK\r\n");
    System.out.println("nodes with a thousand blocked clients: " + proxy.stats().nodes());

    for (int i = 0; i < clients; i++) {
      other.write(Wire.request("RPUSH", TAG + i, "element " + i));
    }
    other.flush();

    for (int i = 0; i < clients; i++) {
      assertThat(other.read()).isEqualTo(":1\r\n");
      assertThat(wires.get(i).read())
          .isEqualTo("*2\r\n" + Wire.bulk(TAG + i) + Wire.bulk("element " + i));
    }
    Awaitility.await("few connections stay")
        .atMost(PATIENCE)
        .until(() -> proxy.stats().nodes().stream().allMatch(node -> node.exclusive() <= 32));
  }

  @Test
  void aBlockedClientDelaysNoOtherClient() {
    RespClient client = connect();
    long before = blockedClients();
    client.write(Wire.request("SET", TAG + "a", "1"));
    client.write(Wire.request("RPUSH", QUEUE, "first"));
    client.write(Wire.request("BLPOP", QUEUE, "0"));
    client.write(Wire.request("DEL", QUEUE));
    client.write(Wire.request("BLPOP", QUEUE, "0"));
    client.write(Wire.request("GET", TAG + "a"));
    client.flush();
    assertThat(client.read()).isEqualTo("+OK\r\n");
    assertThat(client.read()).isEqualTo(":1\r\n");
    assertThat(client.read()).isEqualTo(popped("first"));
    assertThat(client.read()).isEqualTo(":0\r\n");
    awaitBlocked(before + 1);
    assertThat(client.available()).isZero();

    assertThat(connect().call("RPUSH", QUEUE, "second")).isEqualTo(":1\r\n");

    assertThat(client.read()).isEqualTo(popped("second"));
    assertThat(client.read()).isEqualTo(Wire.bulk("1"));
  }

  @Test
  void anElementForADisconnectedClientIsNotLost() {
    RespClient pusher = connect();
    for (int i = 0; i < 100; i++) {
      RespClient client = proxy.connect();
      long before = blockedClients();
      client.send(i % 2 == 0 ? "BLPOP" : "BRPOP", QUEUE, "0");
      awaitBlocked(before + 1);
      if (i % 3 == 0) {
        client.reset();
      } else {
        client.close();
      }
      assertThat(pusher.call("RPUSH", QUEUE, "element " + i)).isEqualTo(":1\r\n");
      assertThat(pusher.call("BLPOP", QUEUE, "10")).isEqualTo(popped("element " + i));
    }
    awaitBlocked(0);
  }

  @Test
  void aDisconnectedClientLeavesNothingBlocked() {
    try (RespClient client = blocked("BLPOP", QUEUE, "0")) {
      client.finishSending();
      assertThat(client.isClosedByPeer()).isTrue();
    }
    awaitBlocked(0);
    blocked("BLPOP", QUEUE, "0").reset();
    awaitBlocked(0);
    assertThat(connect().call("RPUSH", QUEUE, "x")).isEqualTo(":1\r\n");
    assertThat(connect().call("LLEN", QUEUE)).isEqualTo(":1\r\n");
  }

  @Test
  void clientUnblockWorksAcrossLoops() {
    RespClient other = connect();
    for (int i = 0; i < 6; i++) {
      RespClient client = connect();
      String id = client.call("CLIENT", "ID").substring(1).strip();
      client.send("BLPOP", QUEUE, "0");
      Awaitility.await("blocked")
          .atMost(PATIENCE)
          .until(() -> other.call("CLIENT", "LIST", "ID", id).contains(" flags=b "));
      boolean error = i % 2 == 0;
      String reason = error ? "ERROR" : "TIMEOUT";
      assertThat(other.call("CLIENT", "UNBLOCK", id, reason)).isEqualTo(":1\r\n");
      assertThat(client.read())
          .isEqualTo(error ? "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n" : NIL);
      assertThat(other.call("CLIENT", "UNBLOCK", id, reason)).isEqualTo(":0\r\n");
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void timeoutsAreThoseOfTheNodes() {
    RespClient client = connect();
    long began = System.nanoTime();
    assertThat(client.call("BLPOP", QUEUE, "0.2")).isEqualTo(NIL);
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isBetween(Duration.ofMillis(190), Duration.ofSeconds(10));
    assertThat(client.call("HELLO", "3")).startsWith("%7");
    assertThat(client.call("BZPOPMAX", TAG + "z", "0.01")).isEqualTo("_\r\n");
    assertThat(client.call("XREAD", "BLOCK", "10", "STREAMS", TAG + "x", "$")).isEqualTo("_\r\n");
    client.send("BZPOPMIN", TAG + "z", "0");
    awaitBlocked(1);
    assertThat(connect().call("ZADD", TAG + "z", "1.5", "m")).isEqualTo(":1\r\n");
    assertThat(client.read())
        .isEqualTo("*3\r\n" + Wire.bulk(TAG + "z") + Wire.bulk("m") + ",1.5\r\n");
  }

  @Test
  void theCallFollowsItsSlot() {
    RespClient pop = blocked("BLPOP", QUEUE, "0");
    RespClient read = blocked("XREAD", "BLOCK", "0", "STREAMS", TAG + "x", "$");
    Member home = cluster.masterOf(SLOT);
    Member guest = cluster.masters().stream().filter(m -> m != home).findFirst().orElseThrow();
    cluster.migrateSlot(SLOT, home, guest);
    try {
      awaitBlocked(2);
      RespClient other = connect();
      assertThat(other.call("RPUSH", QUEUE, "x")).isEqualTo(":1\r\n");
      assertThat(pop.read()).isEqualTo(popped("x"));
      assertThat(other.call("XADD", TAG + "x", "1-1", "f", "v")).isEqualTo(Wire.bulk("1-1"));
      assertThat(read.read()).contains("1-1");
    } finally {
      Keys.empty(cluster, SLOT);
      cluster.migrateSlot(SLOT, guest, home);
    }
  }

  @Test
  void aDrainDoesNotWaitForBlockedClients() {
    RespClient client = blocked("BLPOP", QUEUE, "0");

    CompletionStage<Void> drained = proxy.proxy().drain(Duration.ofMinutes(1));

    assertThat(client.read())
        .isEqualTo(
            "-UNAVAILABLE this proxy is closing the connection; the command did not run\r\n");
    assertThat(client.isClosedByPeer()).isTrue();
    ProxyFixture.await(drained);
    assertThat(blockedClients()).isZero();
  }
}
