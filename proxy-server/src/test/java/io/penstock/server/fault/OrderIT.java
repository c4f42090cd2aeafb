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
 * Two commands of one client for one key, of which the first is kept on its way, by a relay or
 * because no node takes it, until the second could go straight: another client's does. They take
 * effect in the order sent, 1 appended before 2.
 */
class OrderIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NIL = "$-1\r\n";

  @SuppressWarnings("NullAway.Init")
  private static FaultTestbed scene;

  private int keys; // distinguish what tests write
  private final EmbeddedCluster cluster = scene.cluster();
  private final Member a = cluster.masters().getFirst();
  private final Member b = cluster.masters().get(1);
  private final int slot = Keys.slotOf(cluster, a);
  private final String tag = Keys.tag(slot);
  private final String key = tag + "key";

  @SuppressWarnings("NullAway.Init")
  private RespClient wire;

  @SuppressWarnings("NullAway.Init")
  private RespClient other;

  /** Looks at the topology often: also past a node that is kept from answering. */
  @BeforeAll
  static void start() {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, which tells nodes from Penstock,");
    scene =
        FaultTestbed.start(proxy ->
            proxy
                .transport(Transport.AUTO)
                .commandTimeout(PATIENCE)
                .failoverHold(PATIENCE)
                .refreshPeriod(Duration.ofMillis(300)));
  }

  @AfterAll
  static void stop() {
    if (scene != null) {
      scene.close();
    }
  }

  /** To every node, since what is held keeps new connections from being made. */
  @BeforeEach
  void connect() {
    wire = scene.proxy().connect();
    other = scene.proxy().connect();
    for (String there : Keys.tagsOfMasters(cluster)) {
      assertThat(wire.call("EXISTS", there + "key")).isEqualTo(":0\r\n");
    }
  }

  @AfterEach
  void mend() {
    scene.relays().forEach(Relay::mend);
    cluster.awaitHealthy();
    try (RespClient fresh = scene.proxy().connect()) {
      fresh.call("FLUSHALL");
    }
    wire.close();
    other.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void moved(boolean pipelined) {
    scene.before(a).hold();
    sendFirst(pipelined);
    awaitAt(a, "APPEND");
    cluster.migrateSlot(slot, a, b);
    awaitStraightWay();

    sendSecond(pipelined);
    assertNothingRan();
    scene.before(a).release();

    assertBothInOrder();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void askedForWhatIsNotMovedAfterAll(boolean pipelined) {
    scene.before(b).hold();
    cluster.beginMigration(slot, a, b);
    sendFirst(pipelined);
    awaitAt(b, "APPEND");
    b.text("CLUSTER", "SETSLOT", Integer.toString(slot), "STABLE");
    a.text("CLUSTER", "SETSLOT", Integer.toString(slot), "STABLE");
    awaitStraightWay();

    sendSecond(pipelined);
    assertNothingRan();
    scene.before(b).release();

    assertBothInOrder();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void askedForWhatIsMovedMeanwhile(boolean pipelined) {
    SlotMigration migration = cluster.beginMigration(slot, a, b);
    scene.before(a).hold();
    sendFirst(pipelined);
    awaitAt(a, "APPEND");
    migration.finish();
    awaitStraightWay();

    sendSecond(pipelined);
    assertNothingRan();
    scene.before(a).release();

    assertBothInOrder();
  }

  @Test
  void tryAgain() {
    String twin = tag + "twin";
    assertThat(wire.call("SET", key, "0")).isEqualTo("+OK\r\n");
    SlotMigration migration = cluster.beginMigration(slot, a, b);
    wire.send("MSET", key, "1", twin, "1");
    awaitRefusal(RetryablePrefix.TRYAGAIN);
    awaitStraightWay();

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
    a.text("CLUSTER", "DELSLOTS", Integer.toString(slot));
    sendFirst(false);
    awaitRefusal(RetryablePrefix.CLUSTERDOWN);
    scene.before(a).hold();
    awaitAt(a, "APPEND"); // sent again
    giveSlotToOther();
    awaitStraightWay();

    sendSecond(false);
    assertNothingRan();
    scene.before(a).release();

    assertBothInOrder();
  }

  @Test
  void clusterDownForBoth() {
    a.text("CLUSTER", "DELSLOTS", Integer.toString(slot));
    sendFirst(true);
    awaitRefusal(RetryablePrefix.CLUSTERDOWN);
    giveSlotToOther();

    assertBothInOrder();
  }

  private void giveSlotToOther() {
    b.text("CLUSTER", "DELSLOTS", Integer.toString(slot));
    b.text("CLUSTER", "ADDSLOTS", Integer.toString(slot));
    b.text("CLUSTER", "BUMPEPOCH");
    cluster.awaitHealthy();
  }

  @Test
  void neverSent() {
    scene.before(a).refuse();
    scene.before(a).cut(End.RST);
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
    scene.before(a).hold();
    wire.send("GET", key);
    awaitAt(a, "GET");
    scene.before(a).refuse();
    scene.before(a).cut(End.RST);
    scene.before(a).release();
    awaitHeld();

    sendAndAwait("SET", key, "new");
    scene.before(a).admit();

    assertThat(wire.read()).isEqualTo(Wire.bulk("old"));
    assertThat(wire.read()).isEqualTo("+OK\r\n");
    assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("new"));
  }

  /** It may have run, as far as anybody knows; the relay knows that it did not. */
  @Test
  void aWriteWhoseConnectionIsLost() {
    scene.before(a).hold();
    sendFirst(false);
    awaitAt(a, "APPEND");
    wire.send("GET", key);
    scene.before(a).cut(End.RST);
    scene.before(a).release();
    assertThat(wire.read()).startsWith("-CONNLOST ");

    sendSecond(false);

    assertThat(wire.read()).matches("(\\$-1|-CONNLOST [^\r]*)\r\n"); // and not 2
    assertThat(wire.read()).isEqualTo(":1\r\n");
    assertThat(wire.call("GET", key)).isEqualTo(Wire.bulk("2"));
  }

  @Test
  void loading() throws InterruptedException {
    a.text("CONFIG", "SET", "rdbcompression", "no"); // between two kilobytes it serves clients
    for (int i = 0; i < 100; i++) {
      assertThat(wire.call("SET", tag + i, "x".repeat(2_000))).isEqualTo("+OK\r\n");
    }
    setNodeTimeout("20000"); // nobody is to take it for dead
    a.text("CONFIG", "SET", "key-load-delay", "20000"); // microseconds for each key
    Thread reload = Thread.ofVirtual().start(() -> a.text("DEBUG", "RELOAD"));
    try {
      Awaitility.await("it loads").atMost(PATIENCE).until(this::isLoading);
      sendFirst(false);
      awaitRefusal(RetryablePrefix.LOADING);
      sendSecond(false);

      assertBothInOrder();
    } finally {
      reload.join();
      a.text("CONFIG", "SET", "key-load-delay", "0");
      setNodeTimeout("1000");
    }
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

  /** Answers when Penstock has read it. */
  private void sendAndAwait(String... request) {
    long before = received();
    wire.send(request);
    long after = before + Wire.request(request).length();
    Awaitility.await("Penstock has it").atMost(PATIENCE).until(() -> received() >= after);
  }

  private static long received() {
    return scene.proxy().stats().traffic().bytesReceived();
  }

  private static void awaitAt(Member member, String text) {
    Awaitility.await(text + " waits before " + member)
        .atMost(PATIENCE)
        .until(() -> scene.before(member).isHolding(text));
  }

  private void awaitNoConnection() {
    Awaitility.await("Penstock knows that it has none")
        .atMost(PATIENCE)
        .until(() ->
            scene.proxy().stats().nodes().stream()
                .filter(node -> node.node().port() == scene.before(a).port())
                .allMatch(node -> node.connections() == 0));
  }

  private static void awaitHeld() {
    Awaitility.await("it is held")
        .atMost(PATIENCE)
        .until(() -> scene.proxy().stats().held().now() > 0);
  }

  /** Of the first, since nobody else is refused so. */
  private static void awaitRefusal(RetryablePrefix kind) {
    long before = refusals(kind);
    Awaitility.await(kind + " again").atMost(PATIENCE).until(() -> refusals(kind) > before);
  }

  private static long refusals(RetryablePrefix kind) {
    return scene.proxy().stats().redirects().getOrDefault(kind, 0L);
  }

  /** Until others' writes for the slot are answered. */
  private void awaitStraightWay() {
    Awaitility.await("others get through")
        .atMost(PATIENCE)
        .until(() -> {
          try (RespClient fresh = scene.proxy().connect()) {
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
