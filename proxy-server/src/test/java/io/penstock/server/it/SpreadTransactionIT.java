package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.cluster.SlotMigration;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions and conditional writes over several slots of a real cluster. */
@ExtendWith(SharedCluster.class)
class SpreadTransactionIT {

  private static final int SLOT = 3_139;
  private static final String TAG = Keys.tag(SLOT);

  /** What a client sends, one request a line; a line {@code .} is nothing. */
  private static final List<String> REQUESTS =
      """
      MULTI
      SET k1 a
      SET k2 b
      RPUSH k3 x y z
      GET k1
      LRANGE k3 0 -1
      EXEC
      MULTI
      GET k1
      PING
      MGET k1 k2 nothing k3 k1
      MSET k4 1 k5 2 k1 3
      DEL k4 nothing k3
      EXISTS k1 k2 k5 k5
      TOUCH k1 k2
      UNLINK k5 k1
      EXEC
      MULTI
      EXEC
      MULTI
      SET k1 a
      LPUSH k1 wrong
      INCR k2
      SET k3 after
      GET k3
      EXEC
      MULTI
      SET k1 b
      GET
      SET k2 b
      EXEC
      MULTI
      SET k1 discarded
      SET k2 discarded
      DISCARD
      GET k1
      WATCH k1
      MULTI
      SET k1 watched
      SET k2 watched
      EXEC
      WATCH k1 k2
      WATCH k3
      MULTI
      SET k1 both
      GET k2
      EXEC
      WATCH k1
      SET k1 changed
      MULTI
      SET k1 lost
      SET k2 lost
      EXEC
      WATCH k1 k2
      SET k2 changed
      MULTI
      SET k1 lost
      EXEC
      WATCH k1 k2
      SET k2 changed
      UNWATCH
      MULTI
      SET k1 unwatched
      SET k2 unwatched
      EXEC
      WATCH k1 k3
      MULTI
      SET k4 elsewhere
      EXEC
      WATCH k1 k3
      SET k3 changed
      MULTI
      SET k4 lost
      EXEC
      WATCH k1 k3
      MULTI
      DISCARD
      MULTI
      WATCH k1
      SET k1 1
      SET k2 1
      EXEC
      MULTI
      HSET h1 f v g w
      HGETALL h1
      ZADD z1 1 a 2.5 b
      ZRANGE z1 0 -1 WITHSCORES
      SADD s1 one
      SMEMBERS s1
      BLPOP nothing 0
      BLPOP k9 0
      ECHO hello
      CLIENT GETNAME
      EVAL return{KEYS[1],ARGV[1]} 1 k2 arg
      EVAL return(redis.call('INCR',KEYS[1])) 1 k7
      PUBLISH nobody message
      LOLWUT VERSION 99 1
      EXEC
      MULTI
      SELECT 0
      GET k1
      SELECT 99
      GET k2
      EXEC
      GET k1
      GET k2
      GET k3
      GET k4
      MSETNX n1 1 n2 2 n3 3
      MSETNX n1 4 n4 4
      MSETNX n4 5 n4 6 n5 7
      MSETNX n6 1 n7
      MGET n1 n2 n3 n4 n5 n6
      MSETEX 2 e1 1 e2 2 NX
      MSETEX 2 e1 3 e3 3 NX
      MSETEX 2 e1 4 e2 4 XX EX 100
      MSETEX 2 e1 5 e3 5 XX
      MSETEX 2 e4 5 e5 5 px 100000 nx
      MSETEX 2 e1 6 e2 6 XX KEEPTTL
      MSETEX 2 e1 7 e2 7 NX XX
      MSETEX 2 e1 7 e2 7 NX EX 0
      MSETEX 2 e1 7 e2 7 NX EX nothing
      MSETEX 2 e1 7 e2 7 NX FOO
      MSETEX 2 e1 7 e2 7 EX 100 PX 100 XX
      MSETEX 2 e6 7 e7 7 EX 100
      MGET e1 e2 e3 e4 e5 e6 e7
      TTL e1
      TTL e4
      TTL e6
      """
          .lines()
          .toList();

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  private final Load load = new Load();
  private final List<RespClient> clients = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @BeforeAll
  static void startServer() {
    server = ServerProcess.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void start(EmbeddedCluster shared) {
    cluster = shared;
    // Long, because the machine may be busy; deadlines are not tested here.
    proxy =
        ProxyFixture.of(cluster)
            .commandTimeout(Duration.ofSeconds(5))
            .emulatesCrossSlot()
            .startReady();
  }

  @AfterEach
  void stop() {
    load.close();
    clients.forEach(RespClient::close);
    try (RespClient wire = proxy.connect()) {
      wire.call("FLUSHALL");
    }
    proxy.close();
  }

  private RespClient connect() {
    RespClient wire = proxy.connect();
    clients.add(wire);
    if (clients.size() % 2 == 0) {
      assertThat(wire.call("HELLO", "3")).startsWith("%7\r\n");
    }
    return wire;
  }

  private long exclusiveInUse() {
    return proxy.stats().nodes().stream().mapToLong(NodeStats::inFlight).sum();
  }

  private static List<String> oneByOne(RespClient client, String protocol) {
    client.call("FLUSHALL");
    client.call("HELLO", protocol);
    List<String> replies = new ArrayList<>();
    for (String line : REQUESTS) {
      replies.add(line + ": " + client.call(line.split(" ")));
    }
    return replies;
  }

  private static List<String> inOnePiece(RespClient client, String protocol) {
    client.call("FLUSHALL");
    client.call("HELLO", protocol);
    REQUESTS.forEach(line -> client.write(Wire.request(line.split(" "))));
    client.flush();
    return REQUESTS.stream().map(line -> line + ": " + client.read()).toList();
  }

  /** SELECT in a cluster is another command. */
  private static List<String> withoutSelect(List<String> replies) {
    int from = replies.stream().filter(line -> line.startsWith("SELECT")).toList().size();
    assertThat(from).isEqualTo(2);
    int at = 0;
    while (!replies.get(at).startsWith("SELECT")) {
      at++;
    }
    List<String> kept = new ArrayList<>(replies.subList(0, at));
    kept.addAll(replies.subList(at + 5, replies.size()));
    return kept;
  }

  private static void compare(List<String> expected, List<String> replies) {
    List<String> left = withoutSelect(expected);
    List<String> right = withoutSelect(replies);
    for (int i = 0; i < left.size(); i++) {
      assertThat(right.get(i)).isEqualTo(left.get(i));
    }
  }

  private static boolean hasMsetex(RespClient client) {
    return client.call("COMMAND", "INFO", "msetex").contains("msetex");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "3"})
  void repliesAreThoseOfASingleServer(String protocol) {
    try (RespClient direct = RespClient.open(server.host(), server.port());
        RespClient through = proxy.connect()) {
      // A command is split until all nodes have told that they lack it.
      Awaitility.await().until(() -> hasMsetex(through) == hasMsetex(direct));
      compare(oneByOne(direct, protocol), oneByOne(through, protocol));
      compare(inOnePiece(direct, protocol), inOnePiece(through, protocol));
      Awaitility.await().until(() -> exclusiveInUse() == 0);
    }
  }

  @Test
  void largeRepliesComeWhole() {
    String large = "x".repeat(2_000_000);
    RespClient wire = connect();
    wire.call("SET", "k1", large);
    wire.call("SET", "k2", "small");
    wire.call("MULTI");
    wire.call("GET", "k1");
    wire.call("GET", "k2");
    wire.call("MGET", "k2", "k1");
    assertThat(wire.call("EXEC"))
        .isEqualTo(
            "*3\r\n"
                + Wire.bulk(large)
                + Wire.bulk("small")
                + "*2\r\n"
                + Wire.bulk("small")
                + Wire.bulk(large));
  }

  @Test
  void manySlotsInOneTransaction() {
    RespClient wire = connect();
    wire.call("MULTI");
    StringBuilder expected = new StringBuilder("*60\r\n");
    for (int i = 0; i < 60; i++) {
      assertThat(wire.call("SET", "many:" + i, "v")).isEqualTo("+QUEUED\r\n");
      expected.append("+OK\r\n");
    }
    assertThat(wire.call("EXEC")).isEqualTo(expected.toString());
  }

  /** Moves one from an account to another; a transaction that was answered has run once. */
  private final class Transfers implements Runnable {

    private final RespClient wire = connect();
    private final String from;
    private final String to;
    private final AtomicLong done = new AtomicLong();

    Transfers(String from, String to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public void run() {
      wire.write(Wire.request("MULTI"))
          .write(Wire.request("DECR", from))
          .write(Wire.request("INCR", to))
          .write(Wire.request("EXEC"))
          .flush();
      assertThat(wire.read()).isEqualTo("+OK\r\n");
      assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
      assertThat(wire.read()).isEqualTo("+QUEUED\r\n");
      assertThat(wire.read()).matches("\\*2\r\n:-?\\d+\r\n:-?\\d+\r\n");
      done.incrementAndGet();
    }
  }

  @Test
  void transactionsRunOnceWhileASlotMoves() {
    List<Transfers> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      var transfers = new Transfers(TAG + "account" + i % 2, "{other}account");
      all.add(transfers);
      load.add("transfers " + i, transfers);
    }
    moveToAndFro();
    load.stop();
    long sum = all.stream().mapToLong(each -> each.done.get()).sum();
    try (RespClient fresh = proxy.connect()) {
      assertThat(fresh.call("GET", "{other}account")).isEqualTo(Wire.bulk(Long.toString(sum)));
      long first = Long.parseLong(Wire.content(fresh.call("GET", TAG + "account0")).strip());
      long second = Long.parseLong(Wire.content(fresh.call("GET", TAG + "account1")).strip());
      assertThat(first + second).isEqualTo(-sum);
    }
  }

  private void moveToAndFro() {
    Member home = cluster.masterOf(SLOT);
    Member guest = cluster.masters().stream().filter(m -> m != home).findFirst().orElseThrow();
    for (int round = 0; round < 4; round++) {
      load.awaitFullSteps();
      Member from = round % 2 == 0 ? home : guest;
      Member to = round % 2 == 0 ? guest : home;
      SlotMigration migration = cluster.beginMigration(SLOT, from, to);
      load.awaitSteps(1);
      while (migration.moveKeys(1) > 0) {
        load.check();
      }
      load.awaitSteps(1);
      migration.finish();
    }
    load.awaitFullSteps();
  }

  /** Reads two counters, adds one to each and writes them, if nobody was faster. */
  private final class TwoCounters implements Runnable {

    private final RespClient wire = connect();
    private final AtomicLong[] done = {new AtomicLong(), new AtomicLong()};
    private final AtomicLong nil = new AtomicLong();
    private final AtomicLong partial = new AtomicLong();

    private long value(String key) {
      String content = Wire.content(wire.call("GET", key)).strip();
      return content.startsWith("$") || content.startsWith("_") ? 0 : Long.parseLong(content);
    }

    @Override
    public void run() {
      assertThat(wire.call("WATCH", TAG + "one", "{other}two")).isEqualTo("+OK\r\n");
      long one = value(TAG + "one");
      long two = value("{other}two");
      wire.call("MULTI");
      wire.call("SET", TAG + "one", Long.toString(one + 1));
      wire.call("SET", "{other}two", Long.toString(two + 1));
      String reply = wire.call("EXEC");
      if (reply.startsWith("*-1") || reply.startsWith("_")) {
        nil.incrementAndGet();
        return;
      }
      assertThat(reply).startsWith("*2\r\n");
      String[] parts = reply.split("\r\n");
      for (int i = 0; i < 2; i++) {
        if (parts[i + 1].equals("+OK")) {
          done[i].incrementAndGet();
        } else {
          assertThat(parts[i + 1]).startsWith("-TXPARTIAL ");
          partial.incrementAndGet();
        }
      }
    }
  }

  private void verify(List<TwoCounters> all) {
    load.stop();
    try (RespClient fresh = proxy.connect()) {
      String[] keys = {TAG + "one", "{other}two"};
      for (int i = 0; i < 2; i++) {
        int which = i;
        long sum = all.stream().mapToLong(each -> each.done[which].get()).sum();
        assertThat(fresh.call("GET", keys[i])).isEqualTo(Wire.bulk(Long.toString(sum)));
      }
    }
    System.out.println(
        "nil "
            + all.stream().mapToLong(each -> each.nil.get()).sum()
            + ", partial "
            + all.stream().mapToLong(each -> each.partial.get()).sum()
            + ", of "
            + load.steps());
  }

  private List<TwoCounters> beginCounting() {
    List<TwoCounters> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      var counters = new TwoCounters();
      all.add(counters);
      load.add("counters " + i, counters);
    }
    return all;
  }

  @Test
  void whatIsAnsweredWithOkIsWrittenAndNothingElse() {
    List<TwoCounters> all = beginCounting();
    load.awaitSteps(400);
    verify(all);
    assertThat(all.stream().mapToLong(each -> each.nil.get()).sum()).isPositive();
  }

  @Test
  void theSameWhileASlotMoves() {
    List<TwoCounters> all = beginCounting();
    moveToAndFro();
    verify(all);
  }

  /** A lock of two keys: who gets it has both keys, and nobody else has it. */
  @Test
  void aLockOfKeysInTwoSlotsHasOneOwner() {
    var owners = new AtomicInteger();
    var won = new AtomicLong();
    for (int i = 0; i < 4; i++) {
      RespClient wire = connect();
      String me = "client " + i;
      load.add(
          me,
          () -> {
            String reply = wire.call("MSETNX", TAG + "lock", me, "{other}lock", me);
            if (reply.equals(":0\r\n")) {
              return;
            }
            assertThat(reply).isEqualTo(":1\r\n");
            assertThat(owners.incrementAndGet()).isEqualTo(1);
            assertThat(wire.call("MGET", TAG + "lock", "{other}lock"))
                .isEqualTo("*2\r\n" + Wire.bulk(me) + Wire.bulk(me));
            owners.decrementAndGet();
            won.incrementAndGet();
            assertThat(wire.call("DEL", TAG + "lock", "{other}lock")).isEqualTo(":2\r\n");
          });
    }
    load.awaitSteps(400);
    load.stop();
    assertThat(won.get()).isPositive();
    try (RespClient fresh = proxy.connect()) {
      assertThat(fresh.call("EXISTS", TAG + "lock", "{other}lock")).isEqualTo(":0\r\n");
    }
  }
}
