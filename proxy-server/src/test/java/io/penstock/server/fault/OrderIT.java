package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.server.it.Keys;
import io.penstock.server.it.ReferenceServer;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SlotMigration;
import io.penstock.testkit.network.Relay;
import io.penstock.testkit.network.Relay.Direction;
import io.penstock.testkit.network.Relay.End;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One client sends two commands for one key. The first is delayed, by a relay or because no node
 * accepts it, until the second could be sent directly, as another client's command shows. They must
 * take effect in the order sent: 1 is appended before 2.
 */
class OrderIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NIL = "$-1\r\n";

  @SuppressWarnings("NullAway.Init")
  private static ClusterTestbed testbed;

  private int keys; // numbers the keys
  private boolean unassigned; // no node has the slot
  private final EmbeddedCluster cluster = testbed.cluster();
  private final Member a = cluster.masters().getFirst();
  private final Member b = cluster.masters().get(1);
  private final int slot = Keys.slotOf(cluster, a);
  private final String tag = Keys.tag(slot);
  private final String key = tag + "key";

  @SuppressWarnings("NullAway.Init")
  private RespClient wire;

  @SuppressWarnings("NullAway.Init")
  private RespClient other;

  /** A short refresh period finds changes even if one node does not answer. */
  @BeforeAll
  static void start() {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    testbed =
        ClusterTestbed.start(proxy ->
            proxy
                .transport(Transport.AUTO)
                .commandTimeout(PATIENCE)
                .failoverHold(PATIENCE)
                .refreshPeriod(Duration.ofMillis(300)));
  }

  @AfterAll
  static void stop() {
    if (testbed != null) {
      testbed.close();
    }
  }

  /** Connects to every node now, because a held relay prevents new connections. */
  @BeforeEach
  void connect() {
    wire = testbed.proxy().connect();
    other = testbed.proxy().connect();
    for (String tagOfMaster : Keys.tagsOfMasters(cluster)) {
      assertThat(wire.call("EXISTS", tagOfMaster + "key")).isEqualTo(":0\r\n");
    }
  }

  @AfterEach
  void mend() {
    testbed.relays().forEach(Relay::restore);
    if (unassigned) { // the test has failed; the others need the slot
      giveSlotToOther();
    }
    cluster.awaitHealthy();
    try (RespClient fresh = testbed.proxy().connect()) {
      fresh.call("FLUSHALL");
    }
    wire.close();
    other.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void moved(boolean pipelined) {
    testbed.relayOf(a).holdBack();
    sendFirst(pipelined);
    awaitAt(a, "APPEND");
    cluster.migrateSlot(slot, a, b);
    awaitOthersAreServed();

    sendSecond(pipelined);
    assertNothingRan();
    testbed.relayOf(a).release();

    assertBothInOrder();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void askForASlotThatStays(boolean pipelined) {
    testbed.relayOf(b).holdBack();
    cluster.beginMigration(slot, a, b);
    sendFirst(pipelined);
    awaitAt(b, "APPEND");
    b.text("CLUSTER", "SETSLOT", Integer.toString(slot), "STABLE");
    a.text("CLUSTER", "SETSLOT", Integer.toString(slot), "STABLE");
    awaitOthersAreServed();

    sendSecond(pipelined);
    assertNothingRan();
    testbed.relayOf(b).release();

    assertBothInOrder();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void askForASlotThatMovesMeanwhile(boolean pipelined) {
    SlotMigration migration = cluster.beginMigration(slot, a, b);
    testbed.relayOf(a).holdBack();
    sendFirst(pipelined);
    awaitAt(a, "APPEND");
    migration.finish();
    awaitOthersAreServed();

    sendSecond(pipelined);
    assertNothingRan();
    testbed.relayOf(a).release();

    assertBothInOrder();
  }

  @Test
  void tryAgain() {
    String twin = tag + "twin";
    assertThat(wire.call("SET", key, "0")).isEqualTo("+OK\r\n");
    SlotMigration migration = cluster.beginMigration(slot, a, b);
    wire.send("MSET", key, "1", twin, "1");
    awaitRetry(RetryablePrefix.TRYAGAIN);
    awaitOthersAreServed();

    sendAndAwait("APPEND", key, "2");
    assertThat(other.call("GET", key)).isEqualTo(Wire.bulk("0"));
    migration.moveKeys(100);
    migration.finish();

    assertThat(wire.read()).isEqualTo("+OK\r\n");
    assertThat(wire.read()).isEqualTo(":2\r\n");
    assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("12"));
  }

  @Test
  void clusterDown() {
    takeSlotAway();
    sendFirst(false);
    awaitRetry(RetryablePrefix.CLUSTERDOWN);
    testbed.relayOf(a).holdBack(Direction.THERE); // it may be there now, and must be sent again
    awaitAt(a, "APPEND");
    giveSlotToOther();
    awaitOthersAreServed();

    sendSecond(false);
    assertNothingRan();
    testbed.relayOf(a).release();

    assertBothInOrder();
  }

  @Test
  void clusterDownForBoth() {
    takeSlotAway();
    sendFirst(true);
    awaitRetry(RetryablePrefix.CLUSTERDOWN);
    giveSlotToOther();

    assertBothInOrder();
  }

  private void takeSlotAway() {
    a.text("CLUSTER", "DELSLOTS", Integer.toString(slot));
    unassigned = true;
  }

  private void giveSlotToOther() {
    b.text("CLUSTER", "DELSLOTS", Integer.toString(slot));
    b.text("CLUSTER", "ADDSLOTS", Integer.toString(slot));
    b.text("CLUSTER", "BUMPEPOCH");
    unassigned = false;
    cluster.awaitHealthy();
  }

  @Test
  void neverSent() {
    testbed.relayOf(a).refuseConnections();
    testbed.relayOf(a).cut(End.RST);
    awaitNoConnection();
    sendFirst(false);
    awaitHeld();
    sendSecond(false);
    cluster.migrateSlot(slot, a, b);

    assertBothInOrder();
  }

  @Test
  void aReadWhoseConnectionIsLost() {
    assertThat(wire.call("SET", key, "old")).isEqualTo("+OK\r\n");
    testbed.relayOf(a).holdBack();
    wire.send("GET", key);
    awaitAt(a, "GET");
    testbed.relayOf(a).refuseConnections();
    testbed.relayOf(a).cut(End.RST);
    testbed.relayOf(a).release();
    awaitHeld();

    sendAndAwait("SET", key, "new");
    testbed.relayOf(a).acceptConnections();

    assertThat(wire.read()).isEqualTo(Wire.bulk("old"));
    assertThat(wire.read()).isEqualTo("+OK\r\n");
    assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("new"));
  }

  /** Penstock cannot know whether it ran; because of the relay it did not. */
  @Test
  void aWriteWhoseConnectionIsLost() {
    testbed.relayOf(a).holdBack();
    sendFirst(false);
    awaitAt(a, "APPEND");
    wire.send("GET", key);
    testbed.relayOf(a).cut(End.RST);
    testbed.relayOf(a).release();
    assertThat(wire.read()).startsWith("-CONNLOST ");

    sendSecond(false);

    assertThat(wire.read()).matches("(\\$-1|-CONNLOST [^\r]*)\r\n"); // and not 2
    assertThat(wire.read()).isEqualTo(":1\r\n");
    assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("2"));
  }

  @Test
  void loading() throws InterruptedException {
    a.text("CONFIG", "SET", "rdbcompression", "no"); // it serves clients once per 2 KB loaded
    for (int i = 0; i < 100; i++) {
      assertThat(wire.call("SET", tag + i, "x".repeat(2_000))).isEqualTo("+OK\r\n");
    }
    setNodeTimeout("20000"); // so that it is not marked as failed
    a.text("CONFIG", "SET", "key-load-delay", "200000"); // microseconds for each key
    Thread reload = Thread.ofVirtual().start(() -> a.text("DEBUG", "RELOAD"));
    try {
      Awaitility.await("it loads").atMost(PATIENCE).until(this::isLoading);
      sendFirst(false);
      awaitRetry(RetryablePrefix.LOADING);
      sendSecond(false);
      loadFast();

      assertBothInOrder();
    } finally {
      loadFast();
      reload.join();
      setNodeTimeout("1000");
    }
  }

  private void loadFast() {
    a.text("CONFIG", "SET", "key-load-delay", "0");
  }

  private void setNodeTimeout(String millis) {
    cluster.members().forEach(m -> m.text("CONFIG", "SET", "cluster-node-timeout", millis));
  }

  private boolean isLoading() {
    try {
      a.text("DBSIZE");
      return false;
    } catch (RespClient.ErrorReply e) {
      return String.valueOf(e.getMessage()).startsWith("LOADING");
    }
  }

  private void sendFirst(boolean both) {
    wire.write(Wire.request("APPEND", key, "1"));
    if (both) {
      wire.write(Wire.request("APPEND", key, "2"));
    }
    wire.flush();
  }

  private void sendSecond(boolean sentAlready) {
    if (!sentAlready) {
      sendAndAwait("APPEND", key, "2");
    }
  }

  /** Sends a request and waits until Penstock has read it. */
  private void sendAndAwait(String... request) {
    long before = received();
    wire.send(request);
    long after = before + Wire.request(request).length();
    Awaitility.await("Penstock has read it").atMost(PATIENCE).until(() -> received() >= after);
  }

  private static long received() {
    return testbed.proxy().stats().traffic().bytesReceived();
  }

  private static void awaitAt(Member member, String text) {
    Awaitility.await(text + " waits before " + member)
        .atMost(PATIENCE)
        .until(() -> testbed.relayOf(member).isHoldingBack(text));
  }

  private void awaitNoConnection() {
    Awaitility.await("Penstock has no connection to the node")
        .atMost(PATIENCE)
        .until(() ->
            testbed.proxy().stats().nodes().stream()
                .filter(node -> node.node().port() == testbed.relayOf(a).port())
                .allMatch(node -> node.connections() == 0));
  }

  private static void awaitHeld() {
    Awaitility.await("the request is held")
        .atMost(PATIENCE)
        .until(() -> testbed.proxy().stats().held().now() > 0);
  }

  /** Waits for a retry of the first command; no other command gets this error. */
  private static void awaitRetry(RetryablePrefix kind) {
    long before = retries(kind);
    Awaitility.await(kind + " again").atMost(PATIENCE).until(() -> retries(kind) > before);
  }

  private static long retries(RetryablePrefix kind) {
    return testbed.proxy().stats().redirects().getOrDefault(kind, 0L);
  }

  /** Waits until writes of other clients for the slot are answered. */
  private void awaitOthersAreServed() {
    Awaitility.await("other clients are served")
        .atMost(PATIENCE)
        .until(() -> {
          try (RespClient fresh = testbed.proxy().connect()) {
            fresh.send("SET", tag + "other" + keys++, "x");
            Awaitility.await()
                .atMost(Duration.ofMillis(500))
                .pollDelay(Duration.ZERO)
                .until(() -> fresh.available() > 0);
            return fresh.read().equals("+OK\r\n");
          } catch (ConditionTimeoutException e) {
            return false;
          }
        });
  }

  private void assertNothingRan() {
    assertThat(other.call("GET", key)).isEqualTo(NIL);
  }

  private void assertBothInOrder() {
    assertThat(wire.read()).isEqualTo(":1\r\n");
    assertThat(wire.read()).isEqualTo(":2\r\n");
    assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("12"));
  }
}
