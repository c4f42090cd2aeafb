package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Commands over several slots that run on copies give what a single server gives, with keys of
 * every type at every place, in front of a cluster and of shards.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedCluster.class)
class CrossSlotCopiesIT {

  /** Copies of large values take a while on a slow machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Two keys of each type, and none. */
  private static final List<String> KEYS =
      List.of(
          "ints", "ints2", "words", "words2", "one", "zset", "zset2", "string", "string2", "number",
          "hll", "hll2", "geo", "geo2", "list", "hash", "stream", "none");

  /** One key of each type, and none. */
  private static final List<String> SECOND =
      List.of("ints2", "words2", "zset2", "string2", "hll2", "geo2", "list", "hash", "none");

  private static final List<String> VALUES =
      List.of(
          "SADD ints 1 2 3",
          "SADD ints2 2 3 4",
          "SADD words a b 3",
          "SADD words2 b c Palermo",
          "SADD one 3",
          "ZADD zset 1 a 2 b 3.5 c",
          "ZADD zset2 2 b -inf c 4 3",
          "SET string abcde",
          "SET string2 bcdxeyz",
          "SET number 12345",
          "PFADD hll a b c",
          "PFADD hll2 c d",
          "GEOADD geo 13.361389 38.115556 Palermo 15.087269 37.502669 Catania",
          "GEOADD geo2 13.361389 38.115556 Palermo",
          "RPUSH list x y",
          "HSET hash f v",
          "XADD stream 1-1 f v");

  /** The keys are A and B; the destination is D. */
  private static final List<String> READS =
      List.of(
          "SINTER A B",
          "SUNION A B",
          "SDIFF A B",
          "SDIFF A A B",
          "SINTERCARD 2 A B",
          "SINTERCARD 2 A B LIMIT 1",
          "SINTERCARD 3 A B",
          "ZINTER 2 A B WITHSCORES",
          "ZINTER 2 A B WEIGHTS 1 x",
          "ZUNION 2 A B",
          "ZUNION 2 A B WEIGHTS 2 0.5 AGGREGATE MIN WITHSCORES",
          "ZDIFF 2 A B WITHSCORES",
          "ZINTERCARD 2 A B LIMIT 1",
          "PFCOUNT A B",
          "LCS A B",
          "LCS A B LEN",
          "LCS A B IDX WITHMATCHLEN MINMATCHLEN 2");

  private static final List<String> STORES =
      List.of(
          "SINTERSTORE D A B",
          "SUNIONSTORE D A B",
          "SDIFFSTORE D A B",
          "ZINTERSTORE D 2 A B",
          "ZUNIONSTORE D 2 A B WEIGHTS 2 3 AGGREGATE MAX",
          "ZDIFFSTORE D 2 A B",
          "BITOP AND D A B",
          "BITOP OR D A B",
          "BITOP XOR D A B",
          "BITOP DIFF D A B",
          "BITOP DIFF1 D A B",
          "BITOP ANDOR D A B",
          "BITOP ONE D A B",
          "BITOP NOT D A",
          "BITOP NO D A B",
          "PFMERGE D A B",
          "ZRANGESTORE D A 0 1",
          "ZRANGESTORE D A (1 +inf BYSCORE LIMIT 0 1",
          "ZRANGESTORE D A 0 1 WITHSCORES",
          "GEOSEARCHSTORE D A FROMLONLAT 15 37 BYRADIUS 200 km ASC",
          "GEOSEARCHSTORE D A FROMMEMBER Palermo BYBOX 400 400 km STOREDIST",
          "GEORADIUS A 15 37 200 km STORE D",
          "GEORADIUS A 15 37 200 km WITHCOORD STORE D",
          "GEORADIUSBYMEMBER A Palermo 200 km STOREDIST D",
          "SORT A STORE D",
          "SORT A ALPHA DESC LIMIT 1 2 STORE D");

  private static final List<String> SORTED =
      List.of(
          "RPUSH list 2 10 1 3 2 none",
          "RPUSH numbers 2 10 1 3 2 7 8",
          "SADD set 1 2 3 10",
          "ZADD zset 5 1 4 2 3 3",
          "SET string x",
          "MSET w_1 5 w_2 4 w_3 3.5 w_10 -1e3 w_7 0x10 w_none 2",
          "MSET s_1 delta s_2 Alpha s_3 beta s_10 alpha w_7b nine",
          "MSET x_1 one x_2 two x_3 abc x_10 ten",
          "HSET h_1 f 10 g->g ten",
          "HSET h_2 f 9 g->g nine",
          "HSET h_3 f 8",
          "SADD h_10 member",
          "SADD v_1 a",
          "SET v_2 two",
          "SET p1s 30",
          "SET p2s 20",
          "SET p3s 10",
          "SET a->1 3",
          "SET a->2 2",
          "SET w_8 eight",
          "SET t_1-> 4");

  private static final List<String> SORTS =
      List.of(
          "BY w_*",
          "BY w_* DESC",
          "BY w_* LIMIT 1 2",
          "BY w_* LIMIT -1 -1",
          "BY w_* ALPHA",
          "BY s_* ALPHA DESC",
          "BY s_* LIMIT 0 3",
          "BY h_*->f",
          "BY h_*->f GET # GET x_* GET h_*->f",
          "BY h_*->g->g ALPHA GET h_*->g->g",
          "BY h_*->",
          "BY p*s GET p*s",
          "BY a->* GET a->*",
          "BY t_*-> GET t_*->",
          "GET v_*",
          "GET # GET missing_*",
          "GET constant GET x_*",
          "ALPHA GET x_*",
          "BY nosort GET x_*",
          "BY nosort DESC LIMIT 0 2 GET x_*",
          "BY w_* BY nosort GET x_*",
          "BY nosort GET constant GET # DESC",
          "BY nosort BY w_*",
          "BY missing_*",
          "BY missing_*->f GET #",
          "BY w_* GET",
          "BY w_* SOMEHOW",
          "LIMIT a b BY w_*",
          "get x_* by w_* desc",
          "BY w_* STORE sorted GET x_*",
          "STORE sorted BY w_* LIMIT 0 2",
          "BY nosort GET missing_* GET # STORE sorted",
          "BY s_* STORE sorted",
          "ALPHA BY s_* STORE sorted");

  private static final String REFUSED =
      "-ERR SORT with BY or GET over several slots needs nodes that accept patterns with a hash"
          + " tag: Redis 8.0, Valkey 8.0 or later\r\n";

  private final List<AutoCloseable> started = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture beforeCluster;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture beforeShards;

  private boolean clusterSorts; // its nodes accept patterns with a hash tag

  @BeforeAll
  void start(EmbeddedCluster cluster) {
    server = started(ServerProcess.start());
    ShardedServers shards = started(ShardedServers.start());
    beforeCluster =
        started(
            ProxyFixture.of(cluster)
                .eventLoops(1)
                .emulatesCrossSlotScripts()
                .commandTimeout(PATIENCE)
                .startReady());
    beforeShards =
        started(
            ProxyFixture.of(shards.upstream(null))
                .eventLoops(1)
                .emulatesCrossSlotScripts()
                .commandTimeout(PATIENCE)
                .startReady());
    try (RespClient client = beforeCluster.connect()) {
      clusterSorts = !client.call("SORT", "{a}", "BY", "{a}*").startsWith("-ERR BY option");
    }
  }

  private <T extends AutoCloseable> T started(T closed) {
    started.addFirst(closed);
    return closed;
  }

  @AfterAll
  void stop() throws Exception {
    for (AutoCloseable each : started) {
      each.close();
    }
  }

  /** Where Penstock is, and the protocol. */
  record Place(ProxyFixture proxy, boolean cluster, int protocol) {

    @Override
    public String toString() {
      return (cluster ? "cluster" : "shards") + ", RESP" + protocol;
    }
  }

  Stream<Place> places() {
    return Stream.of(2, 3)
        .flatMap(protocol ->
            Stream.of(
                new Place(beforeCluster, true, protocol),
                new Place(beforeShards, false, protocol)));
  }

  /** For tests that take long: what is stored does not depend on the protocol. */
  Stream<Place> eachKindOfPlace() {
    return Stream.of(new Place(beforeCluster, true, 3), new Place(beforeShards, false, 2));
  }

  /** Two connections that get the same commands. */
  private final class Pair implements AutoCloseable {

    private final RespClient direct = RespClient.open(server.host(), server.port());
    private final RespClient through;

    Pair(Place place) {
      through = place.proxy().connect();
      both("HELLO", Integer.toString(place.protocol()));
      both("FLUSHALL");
    }

    final void both(String... request) {
      direct.call(request);
      through.call(request);
    }

    void all(List<String> lines) {
      lines.forEach(line -> both(line.split(" ")));
    }

    void compare(String line) {
      String[] request = line.split(" ");
      String expected = normal(line, direct.call(request));
      assertThat(normal(line, through.call(request))).as(line).isEqualTo(expected);
    }

    /** Compares values of any type, and how they are encoded. */
    void compareValue(String key) {
      String type = direct.call("TYPE", key);
      assertThat(through.call("TYPE", key)).isEqualTo(type);
      switch (type) {
        case "+set\r\n" -> compare("SMEMBERS " + key);
        case "+zset\r\n" -> compare("ZRANGE " + key + " 0 -1 WITHSCORES");
        case "+list\r\n" -> compare("LRANGE " + key + " 0 -1");
        case "+string\r\n" -> compare("GET " + key);
        default -> {}
      }
      if (!type.equals("+none\r\n")) {
        compare("OBJECT ENCODING " + key);
      }
      compare("TTL " + key);
    }

    @Override
    public void close() {
      assertThat(through.call("KEYS", "penstock:tmp:*")).isEqualTo("*0\r\n");
      direct.close();
      through.close();
    }
  }

  /** The elements of a set have no order: hash tables begin with a random seed. */
  private static String normal(String line, String reply) {
    if (!line.matches("(SINTER|SUNION|SDIFF|SMEMBERS|SORT set BY nosort) .*")
        || reply.startsWith("-")) {
      return reply;
    }
    List<String> lines = new ArrayList<>(List.of(reply.split("\r\n")));
    Collections.sort(lines);
    return String.join(" ", lines);
  }

  private static String with(String template, String a, String b, String destination) {
    List<String> words = new ArrayList<>();
    for (String word : template.split(" ")) {
      words.add(
          switch (word) {
            case "A" -> a;
            case "B" -> b;
            case "D" -> destination;
            default -> word;
          });
    }
    return String.join(" ", words);
  }

  @ParameterizedTest
  @MethodSource("places")
  void readsWithKeysOfEveryType(Place place) {
    try (Pair pair = new Pair(place)) {
      pair.all(VALUES);
      for (String template : READS) {
        for (String a : KEYS) {
          for (String b : KEYS) {
            pair.compare(with(template, a, b, ""));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("eachKindOfPlace")
  void storesWithKeysOfEveryType(Place place) {
    try (Pair pair = new Pair(place)) {
      for (String template : STORES) {
        List<String> seconds = template.contains(" B") ? SECOND : List.of("none");
        for (String a : KEYS) {
          pair.both("FLUSHALL");
          pair.all(VALUES);
          for (String b : seconds) {
            pair.compare(with(template, a, b, "stored"));
            pair.compareValue("stored");
          }
          String overwriting = with(template, a, "words", a);
          pair.compare(overwriting);
          pair.compareValue(a);
        }
      }
    }
  }

  /** So a copy that cannot be restored, which is a hash, lets the command fail. */
  @Test
  void noCommandThatStoresAcceptsAHash() {
    try (RespClient client = server.connect()) {
      for (String template : STORES) {
        client.call("FLUSHALL");
        client.call("HSET", "copy", "-", "-");
        client.call("SET", "stored", "before");
        String call = with(template, "copy", "none", "stored");

        assertThat(client.call(call.split(" "))).as(call).startsWith("-");
        assertThat(client.call("GET", "stored")).as(call).isEqualTo("$6\r\nbefore\r\n");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  void sortsByPatterns(Place place) {
    try (Pair pair = new Pair(place)) {
      pair.all(SORTED);
      for (String sort : SORTS) {
        for (String key : List.of("numbers", "list", "set", "zset", "string", "none")) {
          for (String command : List.of("SORT ", "SORT_RO ")) {
            compareSort(pair, place, command + key + " " + sort);
          }
        }
      }
    }
  }

  private void compareSort(Pair pair, Place place, String line) {
    if (!place.cluster() || clusterSorts) {
      pair.compare(line);
      pair.compareValue("sorted");
    } else if (line.contains("*")) {
      assertThat(pair.through.call(line.split(" ")))
          .as(line)
          .startsWith("-")
          .isIn(refusals(pair, line));
    }
  }

  /** Servers that accept no patterns read the options one after the other. */
  private static List<String> refusals(Pair pair, String line) {
    return List.of(REFUSED, pair.direct.call(line.split(" ")));
  }

  @ParameterizedTest
  @MethodSource("places")
  void scriptsThatOnlyReadRunOnCopies(Place place) {
    try (Pair pair = new Pair(place)) {
      pair.all(VALUES);
      String union = "return redis.call('SUNION', KEYS[1], KEYS[2])";
      String lengths =
          "return {redis.call('STRLEN', KEYS[1]), redis.call('STRLEN', KEYS[2]), ARGV[1]}";
      for (String[] call :
          List.of(
              new String[] {"EVAL_RO", lengths, "2", "string", "string2", "x"},
              new String[] {"EVAL_RO", union, "2", "one", "none"},
              new String[] {"EVAL_RO", "return redis.call('SET', KEYS[1], 1)", "2", "one", "none"},
              new String[] {"EVAL_RO", "return KEYS[", "2", "one", "none"},
              new String[] {"EVALSHA_RO", "0".repeat(40), "2", "one", "none"})) {
        String expected = pair.direct.call(call);
        assertThat(pair.through.call(call)).isEqualTo(expected);
      }
      assertThat(pair.through.call("EVAL", union, "2", "one", "none"))
          .startsWith("-CROSSSLOT Keys in request don't hash to the same slot. Give all keys");
    }
  }

  @ParameterizedTest
  @MethodSource("eachKindOfPlace")
  void manyElements(Place place) {
    try (Pair pair = new Pair(place)) {
      for (int size : List.of(100, 100_000)) {
        pair.both("FLUSHALL");
        fill(pair, size);
        for (String line :
            List.of(
                "SINTERCARD 2 set set2",
                "SUNION set set2",
                "SUNIONSTORE stored set set2",
                "SINTERSTORE stored2 set set2",
                "ZUNIONSTORE stored3 2 zset set2",
                "ZINTER 2 zset set2 WITHSCORES",
                "SORT list STORE stored4",
                "PFCOUNT hll hll2",
                "PFMERGE stored5 hll hll2")) {
          pair.compare(line);
        }
        IntStream.of(2, 3, 4, 5).mapToObj(i -> "stored" + i).forEach(pair::compareValue);
      }
    }
  }

  private static void fill(Pair pair, int size) {
    for (int from = 0; from < size; from += 1_000) {
      int end = Math.min(size, from + 1_000);
      for (String command :
          List.of("SADD set", "SADD set2", "ZADD zset", "RPUSH list", "PFADD hll", "PFADD hll2")) {
        int shift = command.endsWith("2") ? size / 2 : 0;
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        for (int i = from; i < end; i++) {
          if (command.startsWith("Z")) {
            words.add(Integer.toString(i));
          }
          words.add((command.startsWith("R") ? "" : "e") + (i + shift));
        }
        pair.both(words.toArray(String[]::new));
      }
    }
  }
}
