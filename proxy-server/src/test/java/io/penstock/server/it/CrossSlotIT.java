package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands over several slots of a cluster give what a single server gives. */
class CrossSlotIT {

  private static final List<String> VALUES =
      List.of(
          "SADD s1 1 2 3",
          "SADD s2 2 3 4",
          "SADD s3 a b 3",
          "SET str abcde",
          "SET str2 bcdxe",
          "SET bits \u00f0",
          "ZADD z1 1 a 2 b 3.5 c",
          "ZADD z2 2 b 3 c 4 d",
          "ZADD z3 7 b",
          "PFADD h1 a b c",
          "PFADD h2 c d",
          "GEOADD g1 13.361389 38.115556 Palermo 15.087269 37.502669 Catania",
          "RPUSH list x y");

  private static final List<String> COMMANDS =
      List.of(
          "SINTER s1 s2",
          "SINTER s1 none",
          "SINTER s1 str",
          "SUNION s1 s2 s3",
          "SDIFF s1 s2",
          "SDIFF none s2",
          "SINTERCARD 2 s1 s2",
          "SINTERCARD 2 s1 s2 LIMIT 1",
          "SINTERCARD 3 s1 s2",
          "ZINTER 2 z1 z2",
          "ZINTER 2 z1 z2 WITHSCORES",
          "ZUNION 3 z1 z2 z3 WEIGHTS 1 2 3 AGGREGATE MAX WITHSCORES",
          "ZDIFF 2 z1 z2 WITHSCORES",
          "ZINTERCARD 2 z1 z2",
          "ZUNION 2 z1 s1 WITHSCORES",
          "ZUNION 2 z1 list",
          "PFCOUNT h1 h2",
          "PFCOUNT h1 str",
          "LCS str str2",
          "LCS str str2 IDX WITHMATCHLEN",
          "SINTERSTORE d1 s1 s2",
          "SUNIONSTORE d2 s1 s2 s1",
          "SDIFFSTORE d3 none s2",
          "SUNIONSTORE s1 s1 s2",
          "SINTERSTORE d4 s1 str",
          "ZINTERSTORE d5 2 z1 z2",
          "ZUNIONSTORE d6 2 z1 z2 WEIGHTS 2 3 AGGREGATE MIN",
          "ZDIFFSTORE d7 2 z1 z2",
          "ZRANGESTORE d8 z1 0 1",
          "ZRANGESTORE d9 none 0 1",
          "GEOSEARCHSTORE d10 g1 FROMLONLAT 15 37 BYRADIUS 200 km",
          "GEORADIUS g1 15 37 200 km STORE d11",
          "BITOP AND d12 str str2",
          "BITOP NOT d13 bits",
          "PFMERGE d14 h1 h2",
          "PFMERGE h1 h2",
          "RENAME none str",
          "RENAME str renamed1",
          "RENAMENX str2 s1",
          "RENAMENX str2 renamed2",
          "COPY z1 z2",
          "COPY z1 z2 REPLACE",
          "COPY none z2",
          "COPY z1 copied DB x y",
          "SMOVE s1 s2 1",
          "SMOVE s1 s2 nobody",
          "SMOVE s1 list 2",
          "SMOVE none list 2",
          "LMOVE list l2 LEFT RIGHT",
          "LMOVE list l2 LEFT UP",
          "LMOVE list s1 LEFT RIGHT",
          "LMOVE none s1 LEFT RIGHT",
          "RPOPLPUSH list l2",
          "RPOPLPUSH list l2",
          "RPOPLPUSH s1 l2");

  private static final List<String> RESULTS =
      Stream.of(
              Stream.of(1, 2, 3, 4).map(i -> "SMEMBERS d" + i),
              Stream.of(5, 6, 7, 8, 9, 10, 11).map(i -> "ZRANGE d" + i + " 0 -1 WITHSCORES"),
              Stream.of(12, 13).map(i -> "GET d" + i),
              Stream.of(
                  "PFCOUNT d14",
                  "PFCOUNT h1",
                  "SMEMBERS s1",
                  "SMEMBERS s2",
                  "TTL d1",
                  "GET renamed1",
                  "GET renamed2",
                  "EXISTS str",
                  "ZRANGE z2 0 -1 WITHSCORES",
                  "LRANGE l2 0 -1",
                  "EXISTS list"))
          .flatMap(each -> each)
          .map(Object::toString)
          .toList();

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @BeforeAll
  static void startServers() {
    cluster = SharedCluster.builder().start();
    server = ServerProcess.start();
  }

  @AfterAll
  static void stopServers() {
    server.close();
    cluster.close();
  }

  @BeforeEach
  void start() {
    proxy = ProxyFixture.of(cluster).eventLoops(1).emulatesCrossSlot().startReady();
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  static Stream<Integer> protocols() {
    return Stream.of(2, 3);
  }

  private static List<String> run(RespClient client, int protocol) {
    client.call("FLUSHALL");
    client.call("HELLO", Integer.toString(protocol));
    VALUES.forEach(line -> client.call(line.split(" ")));
    List<String> replies = new ArrayList<>();
    for (String line : Stream.of(COMMANDS, RESULTS).flatMap(List::stream).toList()) {
      replies.add(line + ": " + normal(line, client.call(line.split(" "))));
    }
    return replies;
  }

  /** The elements of a set have no order. */
  private static String normal(String line, String reply) {
    boolean unordered = line.matches("(SINTER|SUNION|SDIFF|SMEMBERS) .*") && !reply.startsWith("-");
    if (!unordered) {
      return reply;
    }
    List<String> lines = new ArrayList<>(List.of(reply.split("\r\n")));
    Collections.sort(lines);
    return String.join(" ", lines);
  }

  @ParameterizedTest
  @MethodSource("protocols")
  void repliesAreThoseOfASingleServer(int protocol) {
    try (RespClient direct = RespClient.open(server.host(), server.port());
        RespClient through = proxy.connect()) {
      List<String> expected = run(direct, protocol);

      assertThat(run(through, protocol)).containsExactlyElementsOf(expected);
      assertThat(through.call("KEYS", "penstock:tmp:*")).isEqualTo("*0\r\n");
    }
  }

  @Test
  void aMovedKeyKeepsItsTypeAndItsExpiry() {
    try (RespClient client = proxy.connect()) {
      client.call("FLUSHALL");
      client.call("ZADD", "z1", "1", "a");
      client.call("PEXPIRE", "z1", "600000");

      assertThat(client.call("RENAME", "z1", "z2")).isEqualTo("+OK\r\n");
      assertThat(client.call("COPY", "z2", "z3")).isEqualTo(":1\r\n");

      for (String key : List.of("z2", "z3")) {
        assertThat(client.text("TYPE", key)).isEqualTo("zset");
        assertThat(Long.parseLong(client.text("PTTL", key))).isBetween(1L, 600_000L);
      }
      assertThat(client.call("EXISTS", "z1")).isEqualTo(":0\r\n");
    }
  }
}
