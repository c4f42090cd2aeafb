package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Placement;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on all keys, on a cluster of its own, while masters and slots change. */
class KeyspaceIT {

  private static final int KEYS = 3_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SHA = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"; // of "return 1"

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private RespClient wire;

  @BeforeAll
  static void startCluster() {
    cluster = SharedCluster.builder().start();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void start() {
    proxy = ProxyFixture.of(cluster).eventLoops(1).commandTimeout(PATIENCE).startReady();
    wire = proxy.connect();
    assertThat(wire.call("FLUSHALL")).isEqualTo("+OK\r\n");
  }

  @AfterEach
  void stop() {
    wire.close();
    proxy.close();
    cluster.members().stream().filter(member -> !member.isRunning()).forEach(Member::restart);
    cluster.awaitHealthy();
  }

  private Set<String> fill() {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add("key:" + i);
      wire.write(Wire.request("SET", "key:" + i, "x"));
    }
    wire.flush();
    for (int i = 0; i < KEYS; i++) {
      assertThat(wire.read()).isEqualTo("+OK\r\n");
    }
    return keys;
  }

  /** One page of a scan. */
  private record Page(String cursor, List<String> keys) {}

  private Page page(String cursor, String... options) {
    List<String> request = new ArrayList<>(List.of("SCAN", cursor));
    request.addAll(List.of(options));
    Reply reply = Reply.parse(wire.call(request.toArray(String[]::new)));
    assertThat(reply.elements()).as(reply.head()).hasSize(2);
    return new Page(
        reply.elements().get(0).payload(),
        reply.elements().get(1).elements().stream().map(Reply::payload).toList());
  }

  private List<String> scanAll(String... options) {
    List<String> seen = new ArrayList<>();
    scanOn("0", seen, options);
    return seen;
  }

  private void scanOn(String from, List<String> seen, String... options) {
    String cursor = from;
    int pages = 0;
    do {
      Page page = page(cursor, options);
      seen.addAll(page.keys());
      cursor = page.cursor();
      assertThat(++pages).as("the scan ends").isLessThan(10 * KEYS);
    } while (!cursor.equals("0"));
  }

  /** Returns the master that the cursor points to: its slot is part of the cursor. */
  private static Member turnOf(String cursor) {
    return cluster.masterOf((int) (Long.parseLong(cursor) >>> 48) & (SlotMap.SLOTS - 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "3"})
  void everyKeyIsCountedListedAndScanned(String protocol) {
    wire.call("HELLO", protocol);
    Set<String> keys = fill();
    wire.call("RPUSH", "list", "a");

    assertThat(wire.call("DBSIZE")).isEqualTo(":" + (KEYS + 1) + "\r\n");
    Reply listed = Reply.parse(wire.call("KEYS", "key:*"));
    assertThat(listed.elements().stream().map(Reply::payload))
        .containsExactlyInAnyOrderElementsOf(keys);
    assertThat(keys).contains(Wire.content(wire.call("RANDOMKEY")).replace("list", "key:0"));
    assertThat(scanAll("MATCH", "key:*", "COUNT", "50"))
        .as("each shard is scanned once if nothing changes")
        .containsExactlyInAnyOrderElementsOf(keys);
    assertThat(scanAll("TYPE", "list")).containsExactly("list");
    assertThat(scanAll("MATCH", "key:77")).containsExactly("key:77");

    assertThat(wire.call("FLUSHALL")).isEqualTo("+OK\r\n");
    assertThat(wire.call("DBSIZE")).isEqualTo(":0\r\n");
    assertThat(wire.call("RANDOMKEY")).isEqualTo(protocol.equals("2") ? "$-1\r\n" : "_\r\n");
    assertThat(scanAll()).isEmpty();
    for (Member master : cluster.masters()) {
      assertThat(master.text("DBSIZE")).isEqualTo("0");
    }
  }

  @Test
  void aScanContinuesAfterAFailover() {
    Set<String> keys = fill();
    List<String> seen = new ArrayList<>();
    Page page = page("0", "COUNT", "100");
    seen.addAll(page.keys());
    Member master = turnOf(page.cursor());

    cluster.failover(cluster.replicasOf(master).getFirst());
    Awaitility.await("the proxy knows")
        .atMost(PATIENCE)
        .until(() -> proxy.proxy().topology().indexOfMaster(ProxyFixture.node(master)) < 0);
    scanOn(page.cursor(), seen, "COUNT", "100");

    assertThat(seen).containsAll(keys);
  }

  @Test
  void aScanContinuesWhenTheScannedMasterIsKilled() {
    Set<String> keys = fill();
    List<String> seen = new ArrayList<>();
    String cursor = "0";
    do { // to the middle of the second shard
      Page page = page(cursor, "COUNT", "100");
      seen.addAll(page.keys());
      cursor = page.cursor();
    } while (turnOf(cursor) == cluster.masterOf(0) || seen.size() < KEYS / 2);
    Member master = turnOf(cursor);
    Member replica = cluster.replicasOf(master).getFirst();
    Awaitility.await("the replica has all keys")
        .atMost(PATIENCE)
        .until(() -> replica.text("DBSIZE").equals(master.text("DBSIZE")));

    master.kill();
    cluster.awaitMaster(replica);
    scanOn(cursor, seen, "COUNT", "100");

    assertThat(seen).containsAll(keys);
  }

  @Test
  void aScanFindsASlotThatMovesToAScannedShard() {
    Set<String> keys = fill();
    Member first = cluster.masterOf(0);
    int slot = 12_000;
    Member home = cluster.masterOf(slot);
    String tagged = Keys.tag(slot) + "moves";
    wire.call("SET", tagged, "x");
    keys.add(tagged);
    List<String> seen = new ArrayList<>();
    String cursor = "0";
    do { // past the first shard, before the shard of the slot
      Page page = page(cursor, "COUNT", "100");
      seen.addAll(page.keys());
      cursor = page.cursor();
    } while (turnOf(cursor) == first);
    assertThat(turnOf(cursor)).isNotSameAs(home);
    assertThat(seen).doesNotContain(tagged);

    cluster.migrateSlot(slot, home, first);
    try {
      Awaitility.await("the proxy knows")
          .atMost(PATIENCE)
          .until(() -> ownerPort(slot) == first.port());
      scanOn(cursor, seen, "COUNT", "100");
    } finally {
      cluster.migrateSlot(slot, first, home);
    }

    assertThat(seen).containsAll(keys);
  }

  private int ownerPort(int slot) {
    Placement map = proxy.proxy().topology();
    return map.shards().get(map.ownerOf(slot)).master().port();
  }

  @Test
  void aScriptIsReloadedOnNodesThatLostIt() {
    assertThat(wire.call("SCRIPT", "LOAD", "return 1")).isEqualTo(Wire.bulk(SHA));
    for (Member master : cluster.masters()) {
      assertThat(master.text("SCRIPT", "EXISTS", SHA)).contains("1");
      master.text("SCRIPT", "FLUSH");
    }
    assertThat(wire.call("SCRIPT", "EXISTS", SHA)).isEqualTo("*1\r\n:0\r\n");

    for (String tag : Keys.tagsOfMasters(cluster)) {
      assertThat(wire.call("EVALSHA", SHA, "1", tag)).isEqualTo(":1\r\n");
    }

    assertThat(wire.call("SCRIPT", "EXISTS", SHA, "0".repeat(40))).isEqualTo("*2\r\n:1\r\n:0\r\n");
    assertThat(wire.call("SCRIPT", "FLUSH")).isEqualTo("+OK\r\n");
    assertThat(wire.call("EVALSHA", SHA, "0")).startsWith("-NOSCRIPT ");
    assertThat(wire.call("SCRIPT", "DEBUG", "YES"))
        .startsWith("-ERR SCRIPT DEBUG is not supported");
  }

  @Test
  void aScriptInATransactionIsReloadedWhereItWasLost() {
    assertThat(wire.call("SCRIPT", "LOAD", "return 1")).isEqualTo(Wire.bulk(SHA));
    for (String tag : Keys.tagsOfMasters(cluster)) {
      cluster.masters().forEach(master -> master.text("SCRIPT", "FLUSH"));
      assertThat(transaction(tag)).isEqualTo("*2\r\n:1\r\n$-1\r\n");
      cluster.masters().forEach(master -> master.text("SCRIPT", "FLUSH"));
      assertThat(wire.call("WATCH", tag)).isEqualTo("+OK\r\n");
      assertThat(transaction(tag)).isEqualTo("*2\r\n:1\r\n$-1\r\n");
    }
    assertThat(wire.call("SCRIPT", "FLUSH")).isEqualTo("+OK\r\n");
    assertThat(transaction("{a}")).startsWith("*2\r\n-NOSCRIPT ");
  }

  private String transaction(String tag) {
    assertThat(wire.call("MULTI")).isEqualTo("+OK\r\n");
    assertThat(wire.call("EVALSHA", SHA, "1", tag)).isEqualTo("+QUEUED\r\n");
    assertThat(wire.call("GET", tag + "none")).isEqualTo("+QUEUED\r\n");
    return wire.call("EXEC");
  }

  @Test
  void aRunningScriptIsKilledByAClientOfTheSameLoop() {
    for (Member master : cluster.masters()) {
      master.text("CONFIG", "SET", "lua-time-limit", "50");
    }
    String tag = Keys.tagsOfMasters(cluster).getLast();
    try (RespClient other = proxy.connect()) {
      wire.send("EVAL", "while true do end", "1", tag);

      Awaitility.await("the script is killed")
          .atMost(PATIENCE)
          .until(() -> other.call("SCRIPT", "KILL").equals("+OK\r\n"));

      assertThat(wire.read()).startsWith("-ERR ").contains("killed by user");
      assertThat(other.call("SET", tag, "x")).isEqualTo("+OK\r\n");
      assertThat(wire.call("SCRIPT", "KILL")).startsWith("-NOTBUSY ");
    }
  }

  /** What was queued before the script runs may be executed after it, as on a server. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommandQueuedWhileAScriptRunsAborts(boolean throughPenstock) {
    for (Member master : cluster.masters()) {
      master.text("CONFIG", "SET", "lua-time-limit", "200");
    }
    int slot = Keys.slotsOfMasters(cluster).getLast();
    String tag = Keys.tag(slot);
    Member node = cluster.masterOf(slot);
    try (RespClient runner = throughPenstock ? proxy.connect() : node.server().connect();
        RespClient other = proxy.connect();
        RespClient earlier = proxy.connect()) {
      for (RespClient client : List.of(other, earlier)) {
        assertThat(client.call("MULTI")).isEqualTo("+OK\r\n");
      }
      assertThat(earlier.call("SET", tag, "earlier")).isEqualTo("+QUEUED\r\n");
      runner.send("EVAL", "while true do end", "1", tag);
      Awaitility.await("the script runs")
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThatThrownBy(() -> node.text("PING")).hasMessageContaining("BUSY"));

      String reply;
      try {
        reply = other.call("SET", tag, "x");
      } finally {
        assertThat(node.text("SCRIPT", "KILL")).isEqualTo("OK");
      }
      assertThat(reply).startsWith("-BUSY ");

      assertThat(runner.read()).startsWith("-ERR ").contains("killed by user");
      assertThat(other.call("SET", tag, "y")).isEqualTo("+QUEUED\r\n");
      assertThat(other.call("EXEC")).startsWith("-EXECABORT ");
      assertThat(earlier.call("EXEC")).isEqualTo("*1\r\n+OK\r\n");
      assertThat(other.call("GET", tag)).isEqualTo(Wire.bulk("earlier"));
    }
  }

  @Test
  void functionsAreLoadedOnAllMasters() {
    boolean known = cluster.binary().atLeast(7, 0);
    if (!known) {
      System.out.println("skipped: functions came with Redis 7.0, this is " + cluster.binary());
    }
    Assumptions.assumeTrue(known);
    String library = "#!lua name=lib\nredis.register_function('one', function() return 1 end)";
    assertThat(wire.call("FUNCTION", "LOAD", library)).isEqualTo(Wire.bulk("lib"));
    assertThat(wire.call("FUNCTION", "LOAD", library))
        .isEqualTo("-ERR Library 'lib' already exists\r\n");
    for (String tag : Keys.tagsOfMasters(cluster)) {
      assertThat(wire.call("FCALL", "one", "1", tag)).isEqualTo(":1\r\n");
    }
    assertThat(wire.call("FUNCTION", "STATS")).startsWith("*4\r\n$14\r\nrunning_script\r\n$-1\r\n");
    assertThat(wire.call("FUNCTION", "LIST")).contains("lib");
    String dump = Wire.content(wire.call("FUNCTION", "DUMP"));
    assertThat(wire.call("FUNCTION", "DELETE", "lib")).isEqualTo("+OK\r\n");
    assertThat(wire.call("FUNCTION", "LIST")).isEqualTo("*0\r\n");
    assertThat(wire.call("FUNCTION", "RESTORE", dump)).isEqualTo("+OK\r\n");
    assertThat(wire.call("FUNCTION", "FLUSH")).isEqualTo("+OK\r\n");
    assertThat(wire.call("FUNCTION", "KILL")).startsWith("-NOTBUSY ");
  }
}
