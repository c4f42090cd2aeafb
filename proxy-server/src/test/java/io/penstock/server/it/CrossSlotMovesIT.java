package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Moves between slots leave what a single server leaves: all types, sizes, options and errors. */
@ExtendWith(SharedCluster.class)
class CrossSlotMovesIT {

  private static final List<String> OPTIONS =
      List.of(
          "COPY str list",
          "COPY str list REPLACE",
          "COPY str c1 REPLACE replace",
          "COPY str c2 DB 0",
          "COPY none c3 DB 0",
          "COPY str c4 DB",
          "COPY str c4 DB x",
          "COPY none c4 DB x",
          "COPY str c4 DB 99999999999",
          "COPY str c4 DB 1 DB 0",
          "COPY str c4 foo",
          "COPY str c5 DB 0 foo",
          "RENAME none str",
          "RENAME none none2",
          "RENAMENX none str",
          "RENAMENX str list",
          "RENAME a",
          "SMOVE str none x",
          "SMOVE none str x",
          "SMOVE set str 1",
          "SMOVE set str none",
          "SMOVE set list2 1",
          "SMOVE set set2 2",
          "SMOVE set set2 2",
          "SMOVE set set2 3",
          "SMOVE set set2 3",
          "EXISTS set",
          "LMOVE str list LEFT LEFT",
          "LMOVE list str LEFT LEFT",
          "LMOVE none str LEFT LEFT",
          "LMOVE list list3 LEFT up",
          "LMOVE list list3 left RIGHT",
          "LMOVE list list3 right left",
          "RPOPLPUSH list list3",
          "RPOPLPUSH list list3",
          "LRANGE list3 0 -1",
          "SCARD set2",
          "SISMEMBER set2 2",
          "GET c1",
          "EXISTS c1 c2 c3 c4 c5");

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture proxy;

  @SuppressWarnings("NullAway.Init")
  private RespClient through;

  @SuppressWarnings("NullAway.Init")
  private RespClient direct;

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
    proxy = ProxyFixture.of(cluster).emulatesCrossSlot().startReady();
    through = proxy.connect();
    direct = RespClient.open(server.host(), server.port());
    both().forEach(client -> client.call("FLUSHALL"));
  }

  @AfterEach
  void stop() {
    through.close();
    direct.close();
    proxy.close();
  }

  private Stream<RespClient> both() {
    return Stream.of(direct, through);
  }

  private static String[] words(String line) {
    return line.split(" ");
  }

  @ParameterizedTest
  @CsvSource({"2", "3"})
  void optionsAndErrorsAreThoseOfASingleServer(int protocol) {
    List<List<String>> replies =
        both()
            .map(client -> {
              client.call("HELLO", Integer.toString(protocol));
              for (String line :
                  List.of("SET str v", "RPUSH list 1 2 3", "SADD set 1 2 3", "SADD set2 3")) {
                client.call(words(line));
              }
              return OPTIONS.stream().map(line -> line + ": " + client.call(words(line))).toList();
            })
            .toList();

    assertThat(replies.getLast()).containsExactlyElementsOf(replies.getFirst());
  }

  /** Writes the numbers below {@code count} with a command. */
  private static void fill(RespClient client, String type, int count) {
    for (int from = 0; from < count; from += 10_000) {
      List<String> words = new ArrayList<>();
      for (int i = from; i < Math.min(count, from + 10_000); i++) {
        switch (type) {
          case "zset" -> words.addAll(List.of(Integer.toString(i % 100), "member" + i));
          case "hash" -> words.addAll(List.of("field" + i, "value" + i));
          default -> words.add("element" + i);
        }
      }
      String command =
          switch (type) {
            case "list" -> "RPUSH";
            case "set" -> "SADD";
            case "zset" -> "ZADD";
            default -> "HSET";
          };
      client.call(
          Stream.concat(Stream.of(command, "source"), words.stream()).toArray(String[]::new));
    }
  }

  private static List<String> content(RespClient client, String type, String key) {
    String[] command =
        switch (type) {
          case "list" -> words("LRANGE " + key + " 0 -1");
          case "set" -> words("SMEMBERS " + key);
          case "zset" -> words("ZRANGE " + key + " 0 -1 WITHSCORES");
          default -> words("HGETALL " + key);
        };
    String[] lines = client.call(command).split("\r\n");
    if (!type.equals("list")) {
      Arrays.sort(lines);
    }
    return List.of(lines);
  }

  @ParameterizedTest
  @CsvSource({
    "list, 1",
    "set, 1",
    "zset, 1",
    "hash, 1",
    "list, 500",
    "set, 600",
    "zset, 100000",
    "hash, 100000",
    "list, 100000",
    "set, 100000"
  })
  void valuesOfAllSizesAreMovedWhole(String type, int count) {
    List<List<String>> results =
        both()
            .map(client -> {
              fill(client, type, count);
              client.call("PEXPIREAT", "source", "4000000000123");
              List<String> all = new ArrayList<>();
              all.add(client.call("COPY", "source", "copied"));
              all.add(client.call("RENAME", "source", "renamed"));
              all.add(client.call("RENAMENX", "copied", "again"));
              all.add(client.call("EXISTS", "source", "copied"));
              all.add(client.call("PEXPIRETIME", "renamed"));
              all.addAll(content(client, type, "renamed"));
              all.addAll(content(client, type, "again"));
              return all;
            })
            .toList();

    assertThat(results.getLast().equals(results.getFirst())).isTrue();
    assertThat(results.getLast()).contains(":4000000000123\r\n");
  }

  @Test
  void streamsWithTheirGroupsAreMoved() {
    List<List<String>> results =
        both()
            .map(client -> {
              client.call(words("XADD source 1-1 f v"));
              client.call(words("XADD source 1-2 f v"));
              client.call(words("XGROUP CREATE source g 0"));
              client.call(words("XREADGROUP GROUP g c COUNT 1 STREAMS source >"));
              return Stream.of(
                      "RENAME source moved",
                      "XRANGE moved - +",
                      "XPENDING moved g",
                      "EXISTS source")
                  .map(line -> client.call(words(line)))
                  .toList();
            })
            .toList();

    assertThat(results.getLast()).isEqualTo(results.getFirst());
  }

  @Test
  void expiriesOfFieldsAreMoved() {
    ReferenceServer.assumeAtLeast(7, 4, "expiry of fields");
    List<List<String>> results =
        both()
            .map(client -> {
              client.call(words("HSET source a 1 b 2"));
              client.call(words("HPEXPIREAT source 4000000000123 FIELDS 1 a"));
              return Stream.of("RENAME source moved", "HPEXPIRETIME moved FIELDS 2 a b")
                  .map(line -> client.call(words(line)))
                  .toList();
            })
            .toList();

    assertThat(results.getLast()).isEqualTo(results.getFirst());
  }

  @Test
  void elementsWithAllBytesAreMoved() {
    byte[] all = new byte[100_000];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    List<List<byte[]>> results =
        both()
            .map(client -> {
              List<byte[]> replies = new ArrayList<>();
              for (List<byte[]> request :
                  List.of(
                      List.of(bytes("RPUSH"), bytes("a"), all),
                      List.of(bytes("SADD"), bytes("s"), all),
                      List.of(bytes("LMOVE"), bytes("a"), bytes("b"), bytes("LEFT"), bytes("LEFT")),
                      List.of(bytes("SMOVE"), bytes("s"), bytes("t"), all),
                      List.of(bytes("LRANGE"), bytes("b"), bytes("0"), bytes("-1")),
                      List.of(bytes("SMEMBERS"), bytes("t")))) {
                client.call(request.toArray(byte[][]::new));
                client.send("ECHO", "x");
                replies.add(client.readBytes());
                replies.add(bytes(client.call("EXISTS", "a", "b", "s", "t")));
              }
              return replies;
            })
            .toList();

    assertThat(results.getLast()).usingRecursiveComparison().isEqualTo(results.getFirst());
  }

  private static byte[] bytes(String text) {
    return Wire.bytes(text);
  }

  /** A cluster of the reference server has no databases but 0. */
  @Test
  void aDatabaseThatThereIsNotIsAnError() {
    through.call("SET", "str", "v");

    assertThat(through.call("COPY", "str", "other", "DB", "3")).startsWith("-ERR ");
    assertThat(through.call("COPY", "str", "other", "DB", "-1"))
        .isEqualTo("-ERR DB index is out of range\r\n");
    assertThat(through.call("EXISTS", "other")).isEqualTo(":0\r\n");
  }

  /** Single servers that share the keys have databases. */
  @Test
  void keysMoveBetweenDatabases() {
    try (ShardedServers servers = ShardedServers.start();
        ProxyFixture shards =
            ProxyFixture.of(servers.upstream(null)).emulatesCrossSlot().startReady();
        RespClient client = shards.connect()) {
      for (int i = 0; i < 20; i++) {
        String key = i + ":key";
        String other = i + ":other";
        client.call("SET", key, "v" + i);
        assertThat(client.call("COPY", key, other, "DB", "3")).isEqualTo(":1\r\n");
        assertThat(client.call("COPY", key, other, "DB", "3")).isEqualTo(":0\r\n");
        assertThat(client.call("COPY", key, other, "DB", "16"))
            .isEqualTo("-ERR DB index is out of range\r\n");
        assertThat(client.call("MOVE", key, "5")).isEqualTo(":1\r\n");
        assertThat(client.call("EXISTS", key)).isEqualTo(":0\r\n");
      }
      client.call("SELECT", "3");
      for (int i = 0; i < 20; i++) {
        assertThat(client.text("GET", i + ":other")).isEqualTo("v" + i);
        assertThat(client.call("RENAME", i + ":other", i + ":more")).isEqualTo("+OK\r\n");
        assertThat(client.call("COPY", i + ":more", i + ":back", "DB", "0")).isEqualTo(":1\r\n");
      }
      client.call("SELECT", "0");
      assertThat(client.text("GET", "7:back")).isEqualTo("v7");
      client.call("SELECT", "5");
      assertThat(client.text("GET", "7:key")).isEqualTo("v7");
    }
  }

  /** Four clients race for one value, two in each direction. */
  @ParameterizedTest
  @CsvSource({"RENAME, set", "SMOVE, set", "RPOPLPUSH, list"})
  void whatManyClientsMoveAtOnceIsNeverLost(String command, String type) {
    through.call(type.equals("set") ? "SADD" : "RPUSH", "a", "x");
    List<RespClient> clients = Stream.generate(proxy::connect).limit(4).toList();
    try (Load load = new Load()) {
      for (int i = 0; i < 4; i++) {
        RespClient client = clients.get(i);
        String[] move = {command, i % 2 == 0 ? "a" : "b", i % 2 == 0 ? "b" : "a", "x"};
        String[] request = command.equals("SMOVE") ? move : Arrays.copyOf(move, 3);
        load.add(command + " " + i, () -> client.call(request));
      }
      load.awaitSteps(1_000);
      load.stop();
    }

    assertThat(through.call("EXISTS", "a", "b")).isIn(":1\r\n", ":2\r\n");
    assertThat(proxy.stats().clientsNow()).isEqualTo(5);
    clients.forEach(RespClient::close);
  }
}
