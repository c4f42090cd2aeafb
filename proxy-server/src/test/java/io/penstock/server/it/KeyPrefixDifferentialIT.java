package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.penstock.core.users.UserSettings.Prefix;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sends random calls of a user with a key prefix through Penstock, to a server with data of others,
 * and the same calls to a server that has nothing else: the replies must be the same, and the data
 * of others must stay as they are. {@code -Dpenstock.seed=…} repeats a run.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeyPrefixDifferentialIT {

  private static final long SEED = Long.getLong("penstock.seed", 4711);
  private static final int STEPS = Integer.getInteger("penstock.steps", 4_000);
  private static final int MAX_BATCH = 40;
  private static final int SPOILT = 12;
  private static final int TRANSACTION = 6;

  /** Rejected, so they have no reply to compare. */
  private static final Set<String> REJECTED = Set.of("RANDOMKEY");

  /** What a transaction on a cluster cannot have. */
  private static final Set<String> OF_ALL_SHARDS = Set.of("KEYS", "SCAN", "DBSIZE", "SCRIPT");

  /** Whose keys Penstock finds only in valid arguments, unlike a server when it queues them. */
  private static final Set<String> NOT_QUEUED = Set.of("SELECT", "HELLO", "SCAN", "XREAD");

  private final Differences differences = Differences.read();
  private final Random random = new Random(SEED);

  @SuppressWarnings("NullAway.Init")
  private ServerProcess reference;

  @SuppressWarnings("NullAway.Init")
  private Target target;

  @SuppressWarnings("NullAway.Init")
  private ServerProcess shared;

  @SuppressWarnings("NullAway.Init")
  private EmbeddedCluster cluster;

  @BeforeAll
  void start() {
    ReferenceServer.assumeCompared();
    reference = ServerProcess.start();
    target = Target.direct(reference);
    shared = ServerProcess.start();
    cluster = EmbeddedCluster.builder().masters(3).start();
  }

  @AfterAll
  void stop() {
    target.close();
    reference.close();
    shared.close();
    cluster.close();
  }

  @ParameterizedTest
  @CsvSource({"2, app:", "3, app:", "2, {app}:", "3, 'a*?[b]\\:'"})
  void aServerWithDataOfOthers(int protocol, String prefix) {
    try (ProxyFixture proxy = ProxyFixture.of(shared).users(users(prefix)).startReady();
        RespClient direct = shared.connect()) {
      run(proxy, List.of(direct), protocol, prefix, Set.of());
    }
  }

  @ParameterizedTest
  @CsvSource({"2", "3"})
  void aClusterAndAPrefixWithAHashTag(int protocol) {
    List<RespClient> masters =
        cluster.masters().stream().map(each -> RespClient.open(each.host(), each.port())).toList();
    String prefix = "{app}:";
    try (ProxyFixture proxy = ProxyFixture.of(cluster).users(users(prefix)).startReady()) {
      run(proxy, masters, protocol, prefix, OF_ALL_SHARDS);
    } finally {
      masters.forEach(RespClient::close);
    }
  }

  private static UsersSettings users(String prefix) {
    return PrefixedUsers.of(Map.of("app", new Prefix(prefix, false, true, true)));
  }

  private void run(
      ProxyFixture proxy,
      List<RespClient> servers,
      int protocol,
      String prefix,
      Set<String> alone) {
    var arguments = new RandomArguments(random, "");
    try (RespClient direct = reference.connect();
        RespClient client = PrefixedUsers.connect(proxy, "app", protocol);
        RespClient others = proxy.connect()) {
      direct.call("FLUSHALL");
      direct.call("SCRIPT", "FLUSH");
      direct.call("HELLO", Integer.toString(protocol));
      servers.forEach(server -> server.call("FLUSHALL"));
      others.call("SCRIPT", "FLUSH");
      fill(others, arguments);
      Map<String, String> before = data(servers, prefix);
      assertThat(before).isNotEmpty();
      boolean patterns = alone.isEmpty() && !prefix.contains("*");
      var calls = new Calls(arguments, alone, patterns);
      for (int step = 0; step < STEPS; ) {
        List<List<byte[]>> batch = calls.batch();
        var bytes = new ByteArrayOutputStream();
        batch.forEach(call -> bytes.writeBytes(Wire.requestBytes(call.toArray(byte[][]::new))));
        direct.write(bytes.toByteArray()).flush();
        client.write(bytes.toByteArray()).flush();
        compare(batch, step, direct, client);
        step += batch.size();
      }
      assertThat(data(servers, prefix)).isEqualTo(before);
    }
  }

  /** Gives others data with the names that the user's keys have, and with other prefixes. */
  private void fill(RespClient others, RandomArguments arguments) {
    List<Grammar.Line> lines =
        Grammar.read("grammar.txt").stream().filter(line -> line.keys() == 1).toList();
    for (String prefix : List.of("", "b:", "{ap}:", "app", "a*?[b]:", "axb:")) {
      for (int i = 0; i < 300; i++) {
        List<byte[]> call = lines.get(random.nextInt(lines.size())).call(random, arguments);
        if (call.size() > 1 && !Wire.text(call.getFirst()).startsWith("EVAL")) {
          call.set(1, Wire.bytes(prefix + Wire.text(call.get(1))));
          others.call(call.toArray(byte[][]::new));
        }
      }
      others.call("SET", prefix + "w_a", "5");
      others.call("SET", prefix + "o_a", "secret");
    }
  }

  /** Returns what all keys without the prefix hold. */
  private static Map<String, String> data(List<RespClient> servers, String prefix) {
    Map<String, String> data = new TreeMap<>();
    for (RespClient server : servers) {
      for (Reply key : Reply.parse(server.call("KEYS", "*")).elements()) {
        if (!key.text().startsWith(prefix)) {
          data.put(key.text(), server.call(Wire.bytes("DUMP"), Wire.bytes(key.text())));
        }
      }
    }
    return data;
  }

  private void compare(List<List<byte[]>> batch, int from, RespClient direct, RespClient client) {
    for (int i = 0; i < batch.size(); i++) {
      String request = Script.request(batch.get(i));
      String expected = direct.read();
      String actual = client.read();
      boolean bothErrors = expected.startsWith("-") && actual.equals("-ERR syntax error\r\n");
      if (!bothErrors && !same(request, expected, actual)) {
        fail(
            "seed %d, call %d: %s%n  a server: %s%n  Penstock: %s",
            SEED,
            from + i,
            Wire.shown(request),
            Wire.shown(expected.substring(difference(expected, actual))),
            Wire.shown(actual.substring(difference(expected, actual))));
      }
    }
  }

  /** Returns an index shortly before the first difference. */
  private static int difference(String expected, String actual) {
    int at = 0;
    while (at < Math.min(expected.length(), actual.length())
        && expected.charAt(at) == actual.charAt(at)) {
      at++;
    }
    return Math.max(0, at - 60);
  }

  private boolean same(String request, String expected, String actual) {
    String name = request.split("[ \"]+", 3)[0].toUpperCase(Locale.ROOT);
    if (name.equals("SCAN") && expected.startsWith("*")) {
      return elements(Reply.parse(expected).elements().get(1))
          .equals(elements(Reply.parse(actual).elements().get(1)));
    }
    if (name.startsWith("SORT") && request.contains(" BY w_") && !expected.startsWith("-")) {
      // the order of elements with the same weight is not defined
      return Reply.parse(expected).sorted().equals(Reply.parse(actual).sorted());
    }
    return differences.same(target, request, expected, actual);
  }

  private static Set<String> elements(Reply keys) {
    return new TreeSet<>(keys.elements().stream().map(Reply::text).toList());
  }

  /** Generates batches of calls. */
  private final class Calls {

    private final RandomArguments arguments;
    private final List<Grammar.Line> lines;
    private final List<Grammar.Line> forTransactions;

    /**
     * @param alone commands that are in no transaction
     * @param patterns whether SORT may have patterns
     */
    Calls(RandomArguments arguments, Set<String> alone, boolean patterns) {
      this.arguments = arguments;
      List<Grammar.Line> all = new ArrayList<>(Grammar.read("grammar.txt"));
      all.addAll(Grammar.read("grammar-prefix.txt"));
      all.addAll(Grammar.read("grammar-prefix.txt"));
      all.removeIf(line -> REJECTED.contains(line.command()));
      all.removeIf(line -> line.text().contains("{KEYS,")); // scripts see the prefix
      all.removeIf(line -> !alone.isEmpty() && line.command().equals("SCAN")); // a page at a time
      all.removeIf(line -> !patterns && line.text().matches("SORT.* (BY|GET) .*"));
      lines = all;
      forTransactions =
          all.stream()
              .filter(line -> differences.isExact(line.text()))
              .filter(line -> !alone.contains(line.command()))
              .filter(line -> !NOT_QUEUED.contains(line.command()))
              .filter(line -> !line.text().contains(" BY w_"))
              .toList();
    }

    List<List<byte[]>> batch() {
      List<List<byte[]>> batch = new ArrayList<>();
      int size = 1 + random.nextInt(MAX_BATCH);
      boolean transaction = random.nextInt(TRANSACTION) == 0;
      for (int i = 0; i < size; i++) {
        batch.add(call(transaction ? forTransactions : lines, !transaction));
      }
      if (transaction) {
        batch.addFirst(List.of(Wire.bytes("MULTI")));
        batch.add(List.of(Wire.bytes("EXEC")));
        if (random.nextInt(3) == 0) {
          batch.addFirst(List.of(Wire.bytes("WATCH"), arguments.next("key")));
        }
      }
      return batch;
    }

    private List<byte[]> call(List<Grammar.Line> from, boolean maySpoil) {
      Grammar.Line line = from.get(random.nextInt(from.size()));
      List<byte[]> call = line.call(random, arguments);
      if (maySpoil && line.maySpoil() && random.nextInt(SPOILT) == 0) {
        if (random.nextBoolean()) {
          call.add(arguments.junkKey());
        } else if (call.size() > 1) {
          call.removeLast();
        }
      }
      return call;
    }
  }
}
