package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two clients, each with a Penstock of its own, move things between the keys {@code a} and {@code
 * b} of two slots, or one of them changes the keys at the server. All orders of their steps are run
 * against a real server; each outcome must be one that the scenario names.
 */
class MoveInterleavingsIT {

  /** Orders are enumerated up to this number of choices; then one client ends first. */
  private static final int DEPTH = 10;

  @SuppressWarnings("NullAway.Init")
  private static ServerProcess server;

  @SuppressWarnings("NullAway.Init")
  private static RespClient direct;

  @SuppressWarnings("NullAway.Init")
  private static List<SteppedClient> movers;

  /**
   * @param begin commands before
   * @param commands of the two clients; one that begins with {@code !} goes to the server directly
   * @param outcomes the replies and what the keys have then
   */
  record Scenario(List<String> begin, List<String> commands, List<String> outcomes) {

    static Scenario of(String begin, String commands, String... outcomes) {
      return new Scenario(
          List.of(begin.split("; ")), List.of(commands.split("; ")), List.of(outcomes));
    }

    @Override
    public String toString() {
      return String.join(" | ", commands);
    }
  }

  @BeforeAll
  static void start() {
    server = ServerProcess.start();
    direct = RespClient.open(server.host(), server.port());
    movers = List.of(new SteppedClient(server), new SteppedClient(server));
  }

  @AfterAll
  static void stop() {
    movers.forEach(SteppedClient::close);
    direct.close();
    server.close();
  }

  static Stream<Scenario> scenarios() {
    return Stream.of(
        Scenario.of(
            "SET a 1; SET b 2",
            "RENAME a b; RENAME a b",
            "+OK, -ERR no such key, a=, b=1",
            "-ERR no such key, +OK, a=, b=1"),
        Scenario.of(
            "SET a 1; SET b 2",
            "RENAME a b; RENAME b a",
            "+OK, +OK, a=, b=2",
            "+OK, +OK, a=1, b=",
            "+OK, LEFT, a=, b=1",
            "+OK, LEFT, a=, b=2",
            "LEFT, +OK, a=1, b="),
        Scenario.of(
            "SET a 1; SET b 2", "RENAME a b; !SET a 3", "+OK, +OK, a=, b=3", "+OK, +OK, a=3, b=1"),
        Scenario.of(
            "SET a 1; SET b 2",
            "RENAME a b; !DEL a",
            "+OK, :0, a=, b=1",
            "-ERR no such key, :1, a=, b=2"),
        Scenario.of(
            "SET a 1; SET b 2", "RENAME a b; !SET b 3", "+OK, +OK, a=, b=1", "+OK, +OK, a=, b=3"),
        Scenario.of(
            "SET a 1; SET b 2", "RENAME a b; !DEL b", "+OK, :1, a=, b=", "+OK, :1, a=, b=1"),
        Scenario.of(
            "SET a 1",
            "RENAMENX a b; RENAMENX a b",
            ":1, -ERR no such key, a=, b=1",
            "-ERR no such key, :1, a=, b=1",
            ":1, :0, a=, b=1", // the other one has seen both keys
            ":0, :1, a=, b=1"),
        Scenario.of("SET a 1", "RENAMENX a b; !SETNX b 3", ":0, :1, a=1, b=3", ":1, :0, a=, b=1"),
        Scenario.of("SET a 1", "COPY a b; !SET a 3", ":1, +OK, a=3, b=1", ":1, +OK, a=3, b=3"),
        Scenario.of(
            "SET a 1; SET b 2",
            "COPY a b REPLACE; COPY b a REPLACE",
            ":1, :1, a=1, b=1",
            ":1, :1, a=2, b=2",
            ":1, :1, a=2, b=1"), // each has read before the other one has written
        Scenario.of(
            "RPUSH a x y",
            "LMOVE a b LEFT RIGHT; LMOVE a b LEFT RIGHT",
            "x, y, a=, b=x y",
            "y, x, a=, b=x y"),
        Scenario.of("RPUSH a x; RPUSH b y", "RPOPLPUSH a b; RPOPLPUSH b a", "x, y, a=y, b=x"),
        Scenario.of(
            "RPUSH a x", "LMOVE a b LEFT RIGHT; !LPOP a", "nil, x, a=, b=", "x, nil, a=, b=x"),
        Scenario.of(
            "RPUSH a x y",
            "LMOVE a b LEFT RIGHT; !RPUSH a z",
            "x, :2, a=y z, b=x",
            "x, :3, a=y z, b=x"),
        Scenario.of(
            "RPUSH a x", "LMOVE a b LEFT RIGHT; !LPOP b", "x, nil, a=, b=x", "x, x, a=, b="),
        Scenario.of(
            "RPUSH a x; RPUSH b x",
            "LMOVE a b LEFT LEFT; !DEL b",
            "x, :1, a=, b=",
            "x, :1, a=, b=x"),
        Scenario.of(
            "SADD a x",
            "SMOVE a b x; SMOVE a b x",
            ":1, :0, a=, b=x",
            ":0, :1, a=, b=x",
            "LEFT, :1, a=, b=x",
            ":1, LEFT, a=, b=x"),
        Scenario.of(
            "SADD a x",
            "SMOVE a b x; SMOVE b a x",
            ":1, :0, a=, b=x",
            ":1, :1, a=, b=x",
            ":1, :1, a=x, b="),
        Scenario.of("SADD a x", "SMOVE a b x; !SREM a x", ":0, :1, a=, b=", ":1, :0, a=, b=x"),
        Scenario.of("SADD a x", "SMOVE a b x; !SADD b y", ":1, :1, a=, b=x y"));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void eachOutcomeIsOneOfThoseStated(Scenario scenario) {
    Map<String, String> seen = new TreeMap<>(); // outcomes, each with one order
    int runs = 0;
    for (boolean newest : new boolean[] {false, true}) {
      int[] order = new int[DEPTH];
      do {
        seen.putIfAbsent(run(scenario, order, newest), Arrays.toString(order));
        runs++;
      } while (advance(order));
    }

    assertThat(runs).isGreaterThan(5);
    assertThat(seen.keySet())
        .as("with an order for each: %s", seen)
        .isSubsetOf(scenario.outcomes());
  }

  /** Sets the next order; returns false after the last. Choices that there were not are skipped. */
  private boolean advance(int[] order) {
    for (int i = Math.min(made, DEPTH) - 1; i >= 0; i--) {
      if (order[i] == 0) {
        order[i] = 1;
        Arrays.fill(order, i + 1, DEPTH, 0);
        return true;
      }
    }
    return false;
  }

  private int made; // choices of the last run

  private String run(Scenario scenario, int[] order, boolean newest) {
    begin(direct, scenario);
    String[] replies = new String[2];
    for (int i = 0; i < 2; i++) {
      if (!scenario.commands().get(i).startsWith("!")) {
        movers.get(i).send(scenario.commands().get(i));
      }
    }
    made = 0;
    while (true) {
      List<Integer> running = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        String command = scenario.commands().get(i);
        if (replies[i] == null && !command.startsWith("!") && movers.get(i).isAnswered()) {
          replies[i] = movers.get(i).reply();
        }
        if (replies[i] == null) {
          running.add(i);
        }
      }
      if (running.isEmpty()) {
        break;
      }
      int which = running.getFirst();
      if (running.size() > 1) {
        which = running.get(made < DEPTH ? order[made] : 0);
        made++;
      }
      String command = scenario.commands().get(which);
      if (command.startsWith("!")) {
        replies[which] = direct.call(command.substring(1).split(" ")).strip();
      } else {
        movers.get(which).step(newest);
      }
    }
    return named(replies[0]) + ", " + named(replies[1]) + ", " + keys(direct);
  }

  private static String keys(RespClient from) {
    return "a=" + value(from, "a") + ", b=" + value(from, "b");
  }

  /** Returns a reply in short. */
  private static String named(String reply) {
    if (reply.startsWith("-ERR the source was not removed")) {
      return "LEFT";
    }
    return reply.startsWith("$-1") ? "nil" : reply.replaceFirst("\\$\\d+\r\n", "");
  }

  /** When the connection of a step, or Penstock, ends. */
  enum Crash {
    CUT_BEFORE,
    CUT_AFTER,
    END_BEFORE,
    END_AFTER
  }

  static Stream<Arguments> crashes() {
    List<Arguments> all = new ArrayList<>();
    for (Scenario scenario :
        List.of(
            Scenario.of("SET a 1; SET b 2", "RENAME a b", "a=1, b=2", "a=1, b=1", "a=, b=1"),
            Scenario.of("SET a 1", "RENAMENX a b", "a=1, b=", "a=1, b=1", "a=, b=1"),
            Scenario.of("RPUSH a x", "LMOVE a b LEFT LEFT", "a=x, b=", "a=x, b=x", "a=, b=x"),
            Scenario.of("SADD a x", "SMOVE a b x", "a=x, b=", "a=x, b=x", "a=, b=x"))) {
      for (Crash crash : Crash.values()) {
        all.add(Arguments.of(scenario, crash));
      }
    }
    return all.stream();
  }

  /** At each step: before the server runs it, or after that and before Penstock knows. */
  @ParameterizedTest
  @MethodSource("crashes")
  void aCrashLeavesWhatIsMovedAtOneKeyOrBoth(Scenario scenario, Crash crash) {
    int steps = scenario.commands().getFirst().startsWith("LMOVE") ? 3 : 4;
    for (int step = 0; step < steps; step++) {
      begin(direct, scenario);
      try (var mover = new SteppedClient(server)) {
        mover.send(scenario.commands().getFirst());
        for (int i = 0; i < step; i++) {
          assertThat(mover.isAnswered()).isFalse();
          mover.step(false);
        }
        assertThat(mover.isAnswered()).isFalse();
        boolean afterwards = crash == Crash.CUT_AFTER || crash == Crash.END_AFTER;
        if (crash == Crash.END_BEFORE || crash == Crash.END_AFTER) {
          mover.die(afterwards);
        } else {
          mover.cut(afterwards);
          while (!mover.isAnswered()) {
            mover.step(false);
          }
          judge(keys(direct), scenario, mover.reply());
        }
      }

      assertThat(keys(direct)).as("step %d", step).isIn(scenario.outcomes());
    }
  }

  /** A reply that says what has happened says the truth. */
  private static void judge(String keys, Scenario scenario, String reply) {
    String before = scenario.outcomes().getFirst();
    String done = scenario.outcomes().getLast();
    if (!reply.startsWith("-")) {
      assertThat(keys).isEqualTo(done);
    } else if (!reply.endsWith("the command may have run")) {
      assertThat(keys).as(reply).isEqualTo(before);
    }
  }

  static Stream<Scenario> moves() {
    return crashes().map(each -> (Scenario) each.get()[0]).distinct();
  }

  /** A node that keeps what it has answered is killed, and comes back, at each step. */
  @ParameterizedTest
  @MethodSource("moves")
  void aKilledNodeLeavesWhatIsMovedAtOneKeyOrBoth(Scenario scenario) {
    int steps = scenario.commands().getFirst().startsWith("LMOVE") ? 3 : 4;
    try (ServerProcess durable =
        ServerProcess.builder()
            .option("appendonly", "yes")
            .option("appendfsync", "always")
            .start()) {
      for (int step = 0; step < 2 * steps; step++) {
        try (RespClient before = RespClient.open(durable.host(), durable.port())) {
          begin(before, scenario);
        }
        try (var mover = new SteppedClient(durable)) {
          mover.send(scenario.commands().getFirst());
          for (int i = 0; i < step / 2; i++) {
            assertThat(mover.isAnswered()).isFalse();
            mover.step(false);
          }
          assertThat(mover.isAnswered()).isFalse();
          mover.loseServer(step % 2 == 1);
          while (!mover.isAnswered()) {
            mover.step(false);
          }
          try (RespClient after = RespClient.open(durable.host(), durable.port())) {
            assertThat(keys(after)).as("step %d", step).isIn(scenario.outcomes());
            judge(keys(after), scenario, mover.reply());
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("moves")
  void aClientThatLeavesLeavesNothingHalfDone(Scenario scenario) {
    String before = scenario.outcomes().getFirst();
    String done = scenario.outcomes().getLast();
    int steps = scenario.commands().getFirst().startsWith("LMOVE") ? 3 : 4;
    for (int step = 0; step < steps; step++) {
      begin(direct, scenario);
      try (var mover = new SteppedClient(server)) {
        mover.send(scenario.commands().getFirst());
        for (int i = 0; i < step; i++) {
          assertThat(mover.isAnswered()).isFalse();
          mover.step(false);
        }
        assertThat(mover.isAnswered()).isFalse();
        mover.leave();
        await()
            .pollInterval(Duration.ofMillis(2))
            .until(() -> !mover.stepIfAny() && List.of(before, done).contains(keys(direct)));
      }
    }
  }

  private static void begin(RespClient at, Scenario scenario) {
    at.call("FLUSHALL");
    scenario.begin().forEach(line -> at.call(line.split(" ")));
  }

  private static String value(RespClient from, String key) {
    List<String> command =
        switch (from.call("TYPE", key).strip()) {
          case "+list" -> List.of("LRANGE", key, "0", "-1");
          case "+set" -> List.of("SMEMBERS", key);
          default -> List.of("GET", key);
        };
    List<String> found =
        new ArrayList<>(
            ReplyStrings.of(
                Unpooled.wrappedBuffer(Wire.bytes(from.call(command.toArray(String[]::new))))));
    Collections.sort(found);
    return String.join(" ", found);
  }
}
