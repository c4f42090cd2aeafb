package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.Across;
import io.penstock.core.spec.CommandSpec;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends random calls, generated from {@code grammar.txt}, to a server and through Penstock: the
 * replies must be the same. They are sent in batches of random size, split at random positions.
 *
 * <p>The seed is printed; {@code -Dpenstock.seed=…} repeats a run, and {@code -Dpenstock.steps=…}
 * sets the number of calls.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GeneratedDifferentialIT {

  /**
   * The same in every build, so that a failure is caused by a change; set others to search more.
   */
  private static final long SEED = Long.getLong("penstock.seed", 4711);

  private static final int STEPS = Integer.getInteger("penstock.steps", 20_000);
  private static final int MAX_BATCH = 60;
  private static final int MAX_SPLITS = 4;

  /** One call in this many is made invalid. */
  private static final int SPOILT = 12;

  /** One batch in this many is a transaction. */
  private static final int TRANSACTION = 8;

  /** How often the calls about databases stand beside the others. */
  private static final int DATABASES = 3;

  /** Commands that are split by slot and may have keys of any slots. */
  private static final Set<String> DIVIDED =
      Set.of("MGET", "MSET", "DEL", "UNLINK", "EXISTS", "TOUCH");

  /**
   * How commands are carried out that run on copies of keys. Not {@code SORT}: it gives a sorted
   * set another encoding, which {@code ZSCAN} shows.
   */
  private static final Set<Across> COPIED =
      Set.of(Across.COPIES, Across.STORE_IN_FIRST, Across.STORE_IN_LAST);

  private final Differences differences = Differences.read();
  private final List<Grammar.Line> grammar = Grammar.read();
  private final DifferentialTestbed testbed = new DifferentialTestbed();

  @BeforeAll
  void start() {
    ReferenceServer.assumeCompared();
    testbed.start();
  }

  @AfterAll
  void stop() {
    testbed.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void keysOfOneSlot(int protocol) {
    run("{slot}", grammar, protocol, testbed.proxies());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void keysOfManySlots(int protocol) {
    List<Grammar.Line> lines =
        grammar.stream()
            .filter(line -> line.keys() <= 1 || DIVIDED.contains(line.command()))
            .toList();
    run("", lines, protocol, testbed.ofSeveralNodes());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void keysOfManySlotsInOneCommand(int protocol) {
    CommandTable commands = CommandTable.load();
    List<Grammar.Line> lines =
        grammar.stream()
            .filter(line ->
                line.keys() <= 1
                    || DIVIDED.contains(line.command())
                    || runsOnCopies(commands.byName(line.command())))
            .toList();
    run("", lines, protocol, testbed.emulating());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void keysOfManySlotsOnASingleServer(int protocol) {
    run("", grammar, protocol, testbed.ofOnePartition());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void severalDatabasesOfASingleServer(int protocol) {
    List<Grammar.Line> lines = new ArrayList<>(grammar);
    List<Grammar.Line> databases = Grammar.read("grammar-databases.txt");
    for (int i = 0; i < DATABASES; i++) {
      lines.addAll(databases);
    }
    run("", lines, protocol, testbed.ofOnePartition());
  }

  private static boolean runsOnCopies(CommandSpec command) {
    Across how = command.across();
    return how != null && COPIED.contains(how);
  }

  private void run(String prefix, List<Grammar.Line> lines, int protocol, List<Target> targets) {
    System.out.println(
        "seed " + SEED + ", " + STEPS + " calls in RESP" + protocol + ": " + targets);
    Random random = new Random(SEED);
    var calls = new Calls(random, new RandomArguments(random, prefix), lines, prefix);
    List<Target> all = new ArrayList<>(List.of(testbed.server()));
    all.addAll(targets);
    List<RespClient> wires = new ArrayList<>();
    try {
      for (Target target : all) {
        target.clean();
        wires.add(target.connect(protocol));
      }
      for (int step = 0; step < STEPS; ) {
        List<List<byte[]>> batch = calls.batch();
        send(batch, wires, random);
        compare(batch, step, wires, all);
        step += batch.size();
      }
    } finally {
      wires.forEach(RespClient::close);
    }
  }

  private static void send(List<List<byte[]>> batch, List<RespClient> wires, Random random) {
    var bytes = new ByteArrayOutputStream();
    batch.forEach(call -> bytes.writeBytes(Wire.requestBytes(call.toArray(byte[][]::new))));
    int[] cuts = random.ints(random.nextInt(MAX_SPLITS), 0, bytes.size()).sorted().toArray();
    int from = 0;
    for (int cut : cuts) {
      send(Arrays.copyOfRange(bytes.toByteArray(), from, cut), wires);
      from = cut;
    }
    send(Arrays.copyOfRange(bytes.toByteArray(), from, bytes.size()), wires);
  }

  private static void send(byte[] bytes, List<RespClient> wires) {
    wires.forEach(wire -> wire.write(bytes).flush());
  }

  private void compare(
      List<List<byte[]>> batch, int from, List<RespClient> wires, List<Target> targets) {
    for (int i = 0; i < batch.size(); i++) {
      String request = Script.request(batch.get(i));
      String expected = wires.getFirst().read();
      for (int t = 1; t < wires.size(); t++) {
        String actual = wires.get(t).read();
        if (!differences.same(targets.get(t), request, expected, actual)) {
          fail(
              "seed %d, call %d, before the %s: %s%n  a server: %s%n  Penstock: %s",
              SEED,
              from + i,
              targets.get(t),
              Wire.shown(request),
              shownFrom(firstDifference(expected, actual), expected),
              shownFrom(firstDifference(expected, actual), actual));
        }
      }
    }
  }

  /** Returns the index of the first difference. */
  private static int firstDifference(String expected, String actual) {
    int at = 0;
    while (at < Math.min(expected.length(), actual.length())
        && expected.charAt(at) == actual.charAt(at)) {
      at++;
    }
    return at;
  }

  /** Returns a reply from shortly before {@code at}. */
  private static String shownFrom(int at, String reply) {
    int from = Math.max(0, at - 100);
    return (from > 0 ? "… from " + from + ": " : "") + Wire.shown(reply.substring(from));
  }

  /** Generates batches of calls. */
  private final class Calls {

    private final Random random;
    private final RandomArguments arguments;
    private final List<Grammar.Line> lines;
    private final List<Grammar.Line> forTransactions;

    /** Whether the keys of a call lie in several slots of a cluster; then no key may be added. */
    private final boolean splits;

    Calls(Random random, RandomArguments arguments, List<Grammar.Line> lines, String prefix) {
      this.random = random;
      this.arguments = arguments;
      this.lines = lines;
      splits = prefix.isEmpty() && lines != grammar;
      // The reply to EXEC is compared byte by byte.
      forTransactions =
          !splits
              ? lines.stream()
                  .filter(l -> differences.isExact(l.text()) && mayBeQueued(l.command()))
                  .toList()
              : List.of();
    }

    /**
     * Returns whether a command may be in a transaction: Penstock checks its arity with the table
     * of a newer server, and it must run on one node of a cluster.
     */
    private boolean mayBeQueued(String command) {
      if (command.equals("SCRIPT") || command.equals("DBSIZE")) {
        return false;
      }
      Reply info =
          Reply.parse(testbed.server().call("COMMAND", "INFO", command)).elements().getFirst();
      return info.elements().size() > 1
          && info.elements()
              .get(1)
              .text()
              .equals(Integer.toString(CommandTable.load().byName(command).arity()));
    }

    List<List<byte[]>> batch() {
      List<List<byte[]>> batch = new ArrayList<>();
      int size = 1 + random.nextInt(random.nextBoolean() ? MAX_BATCH : 5);
      boolean transaction = !forTransactions.isEmpty() && random.nextInt(TRANSACTION) == 0;
      List<Grammar.Line> from = transaction ? forTransactions : lines;
      for (int i = 0; i < size; i++) {
        batch.add(call(from));
      }
      if (transaction) {
        batch.addFirst(List.of(Wire.bytes("MULTI")));
        batch.add(List.of(Wire.bytes(random.nextInt(5) == 0 ? "DISCARD" : "EXEC")));
        if (random.nextInt(3) == 0) {
          batch.addFirst(List.of(Wire.bytes("WATCH"), arguments.next("key")));
        }
      }
      return batch;
    }

    private List<byte[]> call(List<Grammar.Line> from) {
      Grammar.Line line = from.get(random.nextInt(from.size()));
      List<byte[]> call = line.call(random, arguments);
      if (random.nextBoolean()) {
        call.set(0, Wire.bytes(Wire.text(call.getFirst()).toLowerCase(Locale.ROOT)));
      }
      if (line.maySpoil() && random.nextInt(SPOILT) == 0) {
        spoil(call);
      }
      assertThat(call).isNotEmpty();
      return call;
    }

    /** Adds, removes or replaces an argument. A key is replaced by a key of the same slot. */
    private void spoil(List<byte[]> call) {
      int which = random.nextInt(call.size());
      switch (random.nextInt(3)) {
        case 0 -> {
          if (!splits) {
            call.add(arguments.junkKey());
          }
        }
        case 1 -> {
          if (call.size() > 1) {
            call.removeLast();
          }
        }
        default -> {
          if (which > 0) {
            boolean key = arguments.isKey(call.get(which));
            call.set(which, key ? arguments.junkKey() : arguments.junk());
          }
        }
      }
    }
  }
}
