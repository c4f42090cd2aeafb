package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Slot;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls with keys in several slots, which pop, move or read, and may wait, as on one server. */
@ExtendWith(SharedCluster.class)
class WaitingOnSeveralKeysIT {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Keys in slots of different masters. */
  private static final List<String> VALUES =
      List.of(
          "RPUSH l1 a b c d e f g h i j k l m n",
          "RPUSH l2 x y z",
          "ZADD z1 1 a 2 b 3 c 4 d 5 e 6 f 7 g 8 h",
          "ZADD z2 1.5 x 2.5 y",
          "SET str v",
          "XADD s1 1-1 f v1",
          "XADD s1 1-2 f v2",
          "XADD s2 2-1 f w1",
          "XADD s3 3-1 f u1",
          "XDEL s3 3-1",
          "XGROUP CREATE s1 g 0",
          "XGROUP CREATE s2 g 0",
          "XGROUP CREATE s3 g 0");

  /** None of them waits for more than a moment on one server. */
  private static final List<String> AT_ONCE =
      List.of(
          "BLPOP l1 l2 1",
          "BLPOP none l2 1",
          "BRPOP none l1 none2 1",
          "BLPOP l1 l1 l2 1",
          "BLPOP str l1 1",
          "BLPOP l1 str 1",
          "BLPOP none str l1 1",
          "BLPOP none z1 l1 1",
          "BLPOP none none2 0.01",
          "BLPOP none none2 none 0.01",
          "BLPOP none none2 -1",
          "BLPOP none none2 x",
          "BLPOP l1 none x",
          "BLPOP str none x",
          "BLPOP none none2 1e20",
          "BRPOP none none2 1e-3",
          "BRPOP none none2 inf",
          "BLMPOP 1 2 l1 l2 LEFT",
          "BLMPOP 1 2 none l1 RIGHT COUNT 3",
          "BLMPOP 1 2 none l1 RIGHT COUNT 0",
          "BLMPOP 1 2 none none2 UP",
          "BLMPOP 1 2 none none2 LEFT COUNT",
          "BLMPOP 1 2 none l1 none2 LEFT",
          "BLMPOP x 2 none none2 LEFT",
          "BLMPOP 0.01 2 none none2 LEFT",
          "LMPOP 2 none l1 LEFT",
          "LMPOP 3 none none2 l1 RIGHT COUNT 2",
          "LMPOP 2 none none2 LEFT",
          "LMPOP 2 none str LEFT",
          "LMPOP 2 none none2 LEFT COUNT -1",
          "LMPOP 2 none none2 UP",
          "LMPOP 2 l1 l2 LEFT",
          "BZPOPMIN z1 z2 1",
          "BZPOPMAX none z2 1",
          "BZPOPMIN none l1 z1 1",
          "BZPOPMIN none none2 0.01",
          "BZPOPMIN none none2 -1",
          "BZMPOP 1 2 none z1 MIN COUNT 2",
          "BZMPOP 1 2 z1 z2 MAX",
          "BZMPOP 0.01 2 none none2 MAX",
          "ZMPOP 2 none z1 MIN",
          "ZMPOP 2 none none2 MIN",
          "ZMPOP 2 none str MIN",
          "ZMPOP 2 z1 z2 MAX COUNT 2",
          "BLMOVE l1 dst LEFT RIGHT 1",
          "BLMOVE none dst LEFT RIGHT 0.01",
          "BLMOVE none dst LEFT UP 0.01",
          "BLMOVE none dst LEFT RIGHT x",
          "BLMOVE none str LEFT RIGHT -1",
          "BLMOVE l1 str LEFT RIGHT 1",
          "BLMOVE str dst LEFT RIGHT 1",
          "BRPOPLPUSH l1 dst 1",
          "BRPOPLPUSH none dst 0.01",
          "BRPOPLPUSH none dst x",
          "LRANGE dst 0 -1",
          "LRANGE l1 0 -1",
          "LRANGE l2 0 -1",
          "ZRANGE z1 0 -1 WITHSCORES",
          "XREAD STREAMS s1 s2 0 0",
          "XREAD COUNT 1 STREAMS s1 s2 0 0",
          "XREAD COUNT 1 STREAMS s2 s1 s2 0 0 2-1",
          "XREAD STREAMS s1 none s2 1-1 0 5-0",
          "XREAD STREAMS s1 s2 $ $",
          "XREAD STREAMS s1 s2 + +",
          "XREAD COUNT 2 STREAMS s1 none s2 + 0 +",
          "XREAD BLOCK 10 STREAMS none s1 + +",
          "XREAD BLOCK 10 STREAMS none other + +",
          "XREAD STREAMS none s3 0 0",
          "XREAD STREAMS s1 str 0 0",
          "XREAD STREAMS s1 s2 0 x",
          "XREAD STREAMS s1 s2 0 >",
          "XREAD COUNT x STREAMS s1 s2 0 0",
          "XREAD BLOCK 10 STREAMS s1 s2 $ $",
          "XREAD BLOCK 10 STREAMS s1 s2 0 $",
          "XREAD BLOCK 10 COUNT 1 STREAMS none s3 $ 0",
          "XREAD BLOCK x STREAMS s1 s2 0 0",
          "XREAD BLOCK -1 STREAMS s1 s2 0 0",
          "XREAD BLOCK 9223372036854775807 STREAMS s1 s2 0 0",
          "XREAD BLOCK 10 STREAMS s1 str $ $",
          "XREAD BLOCK 0 BLOCK 10 STREAMS s1 s2 $ $",
          "XREADGROUP GROUP g c STREAMS s1 none > >",
          "XREADGROUP GROUP g c STREAMS str s1 > >",
          "XREADGROUP GROUP other c STREAMS s1 s2 > >",
          "XREADGROUP GROUP g c STREAMS s1 s2 > $",
          "XREADGROUP GROUP g c STREAMS s1 s2 > x",
          "XREADGROUP GROUP g c NOACK COUNT 1 STREAMS s1 s2 > >",
          "XPENDING s2 g",
          "XREADGROUP GROUP g c BLOCK 10 STREAMS s2 s1 > >",
          "XREADGROUP GROUP g c BLOCK 10 STREAMS s1 s2 > >",
          "XREADGROUP GROUP g c BLOCK 10 STREAMS s1 s2 0 >",
          "XREADGROUP GROUP g c BLOCK 10 STREAMS s1 s2 0-0 0-0",
          "XREADGROUP GROUP g c BLOCK x STREAMS s1 s2 > >",
          "XREADGROUP GROUP g c BLOCK -5 STREAMS s1 none > >",
          "XREADGROUP COUNT 1 STREAMS s1 s2 > >",
          "XREADGROUP GROUP g c STREAMS s3 none2 > >",
          "XINFO GROUPS s1",
          "XPENDING s1 g");

  /**
   * A call that waits.
   *
   * @param call of the client that waits
   * @param others calls of another client, after which it has a reply
   */
  private record Waiting(String call, List<String> others) {

    static Waiting of(String call, String... others) {
      return new Waiting(call, List.of(others));
    }

    private static boolean reads(String line) {
      return line.matches("(LRANGE|XPENDING|XLEN|EXISTS) .*");
    }

    List<String> writes() {
      return others.stream().filter(line -> !reads(line)).toList();
    }

    /** What is read when the call has its reply. */
    List<String> reads() {
      return others.stream().filter(Waiting::reads).toList();
    }
  }

  private static final List<Waiting> WAITING =
      List.of(
          Waiting.of("BLPOP q1 q2 q3 0", "RPUSH q2 a b", "LRANGE q2 0 -1"),
          Waiting.of("BRPOP q1 q2 q3 20", "RPUSH q3 a b", "LRANGE q3 0 -1"),
          Waiting.of("BLPOP q1 q1 q3 20", "RPUSH q1 a", "EXISTS q1"),
          Waiting.of("BLPOP q1 q2 0", "SET q1 v", "RPUSH q2 a"),
          Waiting.of("BLPOP q1 q2 0", "ZADD q2 1 m", "DEL q2", "RPUSH q2 a"),
          Waiting.of("BLMPOP 0 2 q1 q2 RIGHT COUNT 2", "RPUSH q2 a b c", "LRANGE q2 0 -1"),
          Waiting.of("BZPOPMIN q1 q2 0", "ZADD q2 1.25 m 2 n"),
          Waiting.of("BZPOPMAX q1 q2 0", "RPUSH q1 a", "ZADD q2 1 m 2 n"),
          Waiting.of("BZMPOP 0 2 q1 q2 MIN COUNT 5", "ZADD q1 1 m 2.5 n"),
          Waiting.of("BLMOVE q1 q2 LEFT RIGHT 0", "RPUSH q1 a b", "LRANGE q2 0 -1"),
          Waiting.of("BRPOPLPUSH q1 q2 0", "RPUSH q1 a b", "LRANGE q1 0 -1"),
          Waiting.of("BLMOVE q1 q2 LEFT RIGHT 0", "SET q2 v", "RPUSH q1 a", "LRANGE q1 0 -1"),
          Waiting.of("XREAD BLOCK 0 STREAMS q1 q2 $ $", "XADD q2 5-1 f v", "XLEN q2"),
          Waiting.of("XREAD BLOCK 0 STREAMS q1 s1 $ $", "XADD s1 5-1 f v"),
          Waiting.of(
              "XREAD COUNT 1 BLOCK 0 STREAMS s1 q1 3-0 7-0", "XADD q1 5-1 a b", "XADD s1 5-1 f v"),
          Waiting.of("XREAD BLOCK 0 STREAMS s3 q1 $ 0", "XADD s3 4-0 f v"),
          Waiting.of(
              "XREADGROUP GROUP g c BLOCK 0 STREAMS s1 s2 > >",
              "XADD s2 5-1 f v",
              "XPENDING s2 g",
              "XPENDING s1 g"),
          Waiting.of(
              "XREADGROUP GROUP g c NOACK BLOCK 0 STREAMS s1 s2 > >",
              "XADD s1 5-1 f v",
              "XPENDING s1 g"));

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  private final List<RespClient> wires = new ArrayList<>();

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
  void start(EmbeddedCluster cluster) {
    proxy = ProxyFixture.of(cluster).eventLoops(1).emulatesCrossSlot().startReady();
  }

  @AfterEach
  void stop(EmbeddedCluster cluster) {
    wires.forEach(RespClient::close);
    proxy.close();
    Keys.slotsOfMasters(cluster).forEach(slot -> Keys.empty(cluster, slot));
  }

  private RespClient connect() {
    return kept(proxy.connect());
  }

  private RespClient direct() {
    return kept(RespClient.open(server.host(), server.port()));
  }

  private RespClient kept(RespClient wire) {
    wires.add(wire);
    return wire;
  }

  static Stream<Integer> protocols() {
    return Stream.of(2, 3);
  }

  private static String call(RespClient client, String line) {
    return line + ": " + client.call(line.split(" ")).replace("\r\n", " ");
  }

  /** Shows each reply that differs. */
  private static void assertSame(List<String> replies, List<String> expected) {
    SoftAssertions.assertSoftly(softly -> {
      for (int i = 0; i < expected.size(); i++) {
        softly.assertThat(replies.get(i)).isEqualTo(expected.get(i));
      }
    });
  }

  private static void prepare(RespClient client, int protocol) {
    client.call("FLUSHALL");
    client.call("HELLO", Integer.toString(protocol));
    VALUES.forEach(line -> assertThat(client.call(line.split(" "))).doesNotStartWith("-"));
  }

  private static String id(RespClient client) {
    return client.call("CLIENT", "ID").substring(1).strip();
  }

  private static boolean isBlocked(RespClient other, String id) {
    return other.call("CLIENT", "LIST", "ID", id).contains(" flags=b ");
  }

  private static void awaitBlocked(RespClient other, String id) {
    Awaitility.await("blocked").atMost(PATIENCE).until(() -> isBlocked(other, id));
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void repliesAtOnceAreThoseOfASingleServer(int protocol) {
    assertSame(atOnce(connect(), protocol), atOnce(direct(), protocol));
  }

  private static List<String> atOnce(RespClient client, int protocol) {
    prepare(client, protocol);
    return AT_ONCE.stream()
        .map(line -> call(client, line).replaceAll("inactive.*|idle.*", ""))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void repliesAfterWaitingAreThoseOfASingleServer(int protocol) {
    List<String> expected = afterWaiting(direct(), direct(), protocol);

    assertSame(afterWaiting(connect(), connect(), protocol), expected);
  }

  private static List<String> afterWaiting(RespClient waiter, RespClient other, int protocol) {
    List<String> replies = new ArrayList<>();
    String id = id(waiter);
    for (Waiting each : WAITING) {
      prepare(other, protocol);
      waiter.call("HELLO", Integer.toString(protocol));
      VALUES.stream()
          .filter(line -> line.startsWith("XGROUP"))
          .map(line -> line.split(" ")[2])
          .forEach(key -> other.call("XREADGROUP", "GROUP", "g", "c0", "STREAMS", key, ">"));
      waiter.send(each.call().split(" "));
      awaitBlocked(other, id);
      replies.add(each + " is waited for");
      each.writes().forEach(line -> replies.add(call(other, line)));
      replies.add(waiter.read().replace("\r\n", " "));
      each.reads().forEach(line -> replies.add(call(other, line)));
    }
    return replies;
  }

  private RespClient waiting(RespClient other, String call) {
    RespClient client = connect();
    String id = id(client);
    client.send(call.split(" "));
    awaitBlocked(other, id);
    return client;
  }

  private static String popped(String key, String element) {
    return "*2\r\n" + Wire.bulk(key) + Wire.bulk(element);
  }

  private static String integer(long number) {
    return ":" + number + "\r\n";
  }

  @Test
  void theClientThatHasWaitedLongestGetsTheNextElement() {
    RespClient other = connect();
    List<RespClient> clients = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      clients.add(waiting(other, i % 2 == 0 ? "BLPOP q1 q2 q3 0" : "BRPOP q3 q2 q1 0"));
    }
    for (int i = 0; i < clients.size(); i++) {
      String key = "q" + (1 + i % 3);
      assertThat(other.call("RPUSH", key, "element " + i)).isEqualTo(integer(1));
      assertThat(clients.get(i).read()).isEqualTo(popped(key, "element " + i));
    }
  }

  @Test
  void elementsThatArePushedTogetherAreSharedInTurn() {
    RespClient other = connect();
    List<RespClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(waiting(other, "BLPOP q1 q2 0"));
    }
    assertThat(other.call("RPUSH", "q2", "0", "1", "2", "3", "4", "5")).isEqualTo(integer(6));
    for (int i = 0; i < clients.size(); i++) {
      assertThat(clients.get(i).read()).isEqualTo(popped("q2", Integer.toString(i)));
    }
    assertThat(other.call("LRANGE", "q2", "0", "-1")).isEqualTo("*1\r\n" + Wire.bulk("5"));
  }

  @Test
  void eachElementGoesToOneClientWithSeveralLoops(EmbeddedCluster cluster) {
    try (ProxyFixture loops =
            ProxyFixture.of(cluster).eventLoops(3).emulatesCrossSlot().startReady();
        RespClient pusher = loops.connect()) {
      int count = 300;
      List<RespClient> clients = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        clients.add(kept(loops.connect()));
      }
      List<String> elements = new ArrayList<>();
      for (int round = 0; round < count / clients.size(); round++) {
        for (RespClient client : clients) {
          client.send("BLPOP", "q1", "q2", "q3", "0");
        }
        for (int i = 0; i < clients.size(); i++) {
          String key = "q" + (1 + i % 3);
          pusher.write(Wire.request("RPUSH", key, "element " + round + " " + i));
          elements.add("element " + round + " " + i);
        }
        pusher.flush();
        for (int i = 0; i < clients.size(); i++) {
          assertThat(pusher.read()).startsWith(":");
        }
        for (RespClient client : clients) {
          String reply = client.read();
          assertThat(elements.remove(element(reply))).as(reply).isTrue();
        }
      }
      assertThat(elements).isEmpty();
      assertThat(pusher.call("EXISTS", "q1", "q2", "q3")).isEqualTo(integer(0));
    }
  }

  private static String element(String popped) {
    return popped.lines().toList().getLast();
  }

  @Test
  void anElementThatComesWhileAClientLeavesIsNotLost() {
    RespClient other = connect();
    for (int i = 0; i < 60; i++) {
      RespClient client = waiting(other, i % 2 == 0 ? "BLPOP q1 q2 0" : "BRPOP q2 q1 0");
      String key = "q" + (1 + i % 2);
      other.write(Wire.request("RPUSH", key, "element " + i));
      other.flush();
      if (i % 3 > 0) {
        assertThat(other.read()).isEqualTo(integer(1));
      }
      client.finishSending();
      String received = client.readToEnd();
      if (i % 3 == 0) {
        assertThat(other.read()).isEqualTo(integer(1));
      }
      if (received.isEmpty()) {
        received = other.call("BLPOP", "q1", "q2", "20");
      }
      assertThat(received).isEqualTo(popped(key, "element " + i));
      assertThat(other.call("EXISTS", "q1", "q2")).isEqualTo(integer(0));
    }
  }

  @Test
  void aClientThatLeftGetsNothing() {
    RespClient other = connect();
    for (int i = 0; i < 20; i++) {
      RespClient client = waiting(other, "BLPOP q1 q2 0");
      client.reset();
      Awaitility.await("gone")
          .atMost(PATIENCE)
          .until(() -> other.call("INFO", "clients").contains("blocked_clients:0\r\n"));
      assertThat(other.call("RPUSH", "q2", "element " + i)).isEqualTo(integer(1));
      assertThat(other.call("BLPOP", "q1", "q2", "5")).isEqualTo(popped("q2", "element " + i));
    }
  }

  @Test
  void aWaitingClientIsShownAndUnblocked() {
    RespClient other = connect();
    for (boolean error : List.of(true, false)) {
      RespClient client = connect();
      String id = id(client);
      client.send("BLPOP", "q1", "q2", "q1", "0");
      awaitBlocked(other, id);
      assertThat(other.call("INFO", "clients"))
          .contains("blocked_clients:1\r\n", "total_blocking_keys:2\r\n");
      assertThat(other.call("CLIENT", "UNBLOCK", id, error ? "ERROR" : "TIMEOUT"))
          .isEqualTo(integer(1));
      assertThat(client.read())
          .isEqualTo(error ? "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n" : "*-1\r\n");
      assertThat(other.call("CLIENT", "UNBLOCK", id)).isEqualTo(integer(0));
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(other.call("INFO", "clients"))
          .contains("blocked_clients:0\r\n", "total_blocking_keys:0\r\n");
    }
  }

  @Test
  void requestsBehindAWaitingCallWaitForIt() {
    RespClient other = connect();
    RespClient client = connect();
    String id = id(client);
    client.write(Wire.request("BLPOP", "q1", "q2", "0"));
    client.write(Wire.request("RPUSH", "q1", "after"));
    client.flush();
    awaitBlocked(other, id);
    assertThat(other.call("EXISTS", "q1")).isEqualTo(integer(0));
    assertThat(other.call("RPUSH", "q2", "x")).isEqualTo(integer(1));

    assertThat(client.read()).isEqualTo(popped("q2", "x"));
    assertThat(client.read()).isEqualTo(integer(1));
  }

  @Test
  void consumersOfAGroupShareEntriesInTurn() {
    RespClient other = connect();
    for (String stream : List.of("s1", "s2")) {
      assertThat(other.call("XGROUP", "CREATE", stream, "g", "$", "MKSTREAM")).isEqualTo("+OK\r\n");
    }
    List<RespClient> clients = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      clients.add(
          waiting(other, "XREADGROUP GROUP g c" + i + " COUNT 1 BLOCK 0 STREAMS s1 s2 > >"));
    }
    for (int i = 0; i < clients.size(); i++) {
      String expected = i % 2 == 0 ? "s1" : "s2";
      other.call("XADD", expected, (i + 1) + "-0", "f", "v");
      assertThat(clients.get(i).read()).startsWith("*1\r\n*2\r\n" + Wire.bulk(expected));
    }
    for (String stream : List.of("s1", "s2")) {
      assertThat(other.call("XPENDING", stream, "g")).startsWith("*4\r\n:3\r\n");
    }
  }

  @Test
  void theEndOfAGroupEndsTheCall() {
    RespClient other = connect();
    for (String end : List.of("XGROUP DESTROY s2 g", "DEL s2")) {
      for (String stream : List.of("s1", "s2")) {
        other.call("XGROUP", "CREATE", stream, "g", "$", "MKSTREAM");
      }
      RespClient client = waiting(other, "XREADGROUP GROUP g c BLOCK 0 STREAMS s1 s2 > >");
      assertThat(other.call(end.split(" "))).isEqualTo(integer(1));
      assertThat(client.read()).startsWith("-NOGROUP ");
    }
  }

  @Test
  void allReadersOfAStreamGetAnEntry() {
    RespClient other = connect();
    List<RespClient> clients = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      clients.add(waiting(other, "XREAD BLOCK 0 STREAMS s1 s2 $ $"));
    }
    other.call("XADD", "s2", "1-0", "f", "v");
    for (RespClient client : clients) {
      assertThat(client.read()).startsWith("*1\r\n*2\r\n" + Wire.bulk("s2"));
    }
  }

  @Test
  void theCallFollowsItsSlot(EmbeddedCluster cluster) {
    int slot = Slot.of(Wire.bytes("q2"));
    RespClient other = connect();
    RespClient pop = waiting(other, "BLPOP q1 q2 q3 0");
    RespClient move = waiting(other, "BLMOVE q2 q3 LEFT RIGHT 0");
    Member home = cluster.masterOf(slot);
    Member guest = cluster.masters().stream().filter(m -> m != home).findFirst().orElseThrow();
    cluster.migrateSlot(slot, home, guest);
    try {
      assertThat(other.call("RPUSH", "q2", "x", "y")).isEqualTo(integer(2));
      assertThat(pop.read()).isEqualTo(popped("q2", "x"));
      assertThat(other.call("BLPOP", "q1", "q3", "20")).isEqualTo(popped("q3", "y"));
      assertThat(move.read()).isEqualTo(Wire.bulk("y"));
    } finally {
      Keys.empty(cluster, slot);
      cluster.migrateSlot(slot, guest, home);
    }
  }

  @Test
  void aDrainDoesNotWaitForWaitingClients() {
    RespClient other = connect();
    RespClient client = waiting(other, "BLPOP q1 q2 0");
    RespClient move = waiting(other, "BLMOVE q1 q2 LEFT RIGHT 0");
    RespClient read = waiting(other, "XREAD BLOCK 0 STREAMS q1 q2 $ $");

    CompletionStage<Void> drained = proxy.proxy().drain(Duration.ofMinutes(1));

    for (RespClient each : List.of(client, move, read)) {
      assertThat(each.read())
          .isEqualTo(
              "-UNAVAILABLE this proxy is closing the connection; the command did not run\r\n");
      assertThat(each.isClosedByPeer()).isTrue();
    }
    ProxyFixture.await(drained);
  }
}
