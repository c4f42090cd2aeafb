package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends the same requests to a server and through Penstock: the replies must be the same bytes,
 * except for the differences that {@code differences.txt} lists.
 *
 * <p>The requests are the scripts in {@code differential/}, and calls derived from the command
 * table. Every command known to both Penstock and the server is covered.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DifferentialIT {

  private static final int SHOWN = 4;
  private static final ServerBinary SERVER = ServerBinary.find();

  /** Scripts, derived calls and calls with any number of arguments, in two protocols. */
  private static final int CONCLUSIONS = 6;

  private final Differences differences = Differences.read();
  private final DifferentialTestbed testbed = new DifferentialTestbed();

  /** Failures by command; only the first few of each are kept. */
  private final Map<String, List<String>> failures = new TreeMap<>();

  private int compared;
  private int equal;
  private int concluded;

  @BeforeAll
  void start() {
    ReferenceServer.assumeCompared();
    testbed.start();
  }

  @AfterAll
  void stop() {
    testbed.close();
    if (concluded == CONCLUSIONS) {
      assertThat(differences.unused()).as("unused lines of differences.txt").isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void scriptsGetTheRepliesOfAServer(int protocol) {
    Set<String> known = commandsOfTheServer();
    known.add(SERVER.valkey() ? "valkey" : "redis");
    for (Script script : Script.all()) {
      if (!script.needs().isEmpty() && !known.contains(script.needs())) {
        System.out.println("skipped: " + script.name() + " needs " + script.needs());
        continue;
      }
      switch (script.where()) {
        case EVERYWHERE -> play(script, protocol, testbed.server(), testbed.proxies());
        case SINGLE -> play(script, protocol, testbed.server(), testbed.ofOnePartition());
        case DATABASES -> play(script, protocol, testbed.server(), testbed.withDatabases());
        case SLOTS -> play(script, protocol, testbed.node(), List.of(testbed.cluster()));
      }
    }
    conclude("replies of scripts in RESP" + protocol);
  }

  private static Set<String> containers() {
    Set<String> containers = new TreeSet<>();
    specs().stream().filter(CommandSpec::isContainer).forEach(c -> containers.add(c.name()));
    return containers;
  }

  private void play(Script script, int protocol, Target reference, List<Target> targets) {
    List<ScriptRun.RecordedReply> expected = ScriptRun.of(script, reference, protocol);
    for (Target target : targets) {
      List<ScriptRun.RecordedReply> actual = ScriptRun.of(script, target, protocol);
      for (int i = 0; i < expected.size(); i++) {
        ScriptRun.RecordedReply wanted = expected.get(i);
        String reply = i < actual.size() ? actual.get(i).reply() : "(nothing)";
        compare(script.name(), target, wanted.request(), wanted.reply(), reply);
      }
    }
  }

  private void compare(
      String where, Target target, String request, String expected, String actual) {
    compared++;
    if (expected.equals(actual)) {
      equal++;
    } else if (!differences.same(target, request, expected, actual)) {
      String what = where + ", before the " + target + ": ";
      failures
          .computeIfAbsent(what + request.split(" ", 2)[0], _ -> new ArrayList<>())
          .add(
              "\n"
                  + what
                  + Wire.shown(request)
                  + "\n  a server: "
                  + Wire.shown(expected)
                  + "\n  Penstock: "
                  + Wire.shown(actual));
    }
  }

  private void conclude(String what) {
    System.out.printf("%s: %,d of %,d %s are equal%n", SERVER, equal, compared, what);
    compared = 0;
    equal = 0;
    concluded++;
    var shown = new StringBuilder();
    failures.values().forEach(list -> list.stream().limit(SHOWN).forEach(shown::append));
    failures.clear();
    assertThat(shown.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void derivedCallsGetTheRepliesOfAServer(int protocol) {
    testbed.clean();
    Set<String> known = commandsOfTheServer();
    for (CommandSpec spec : specs()) {
      if (known.contains(spec.name())) {
        derive(spec, protocol);
      }
    }
    conclude("replies to derived calls in RESP" + protocol);
  }

  private void derive(CommandSpec spec, int protocol) {
    List<List<byte[]>> calls = new ArrayList<>(DerivedCalls.wrong(spec));
    String command = spec.name().replace('|', ' ');
    boolean harmless = !spec.has(CommandFlag.BLOCKING) && !differences.isForArityOnly(command);
    if (harmless && !differences.isRejected(command)) {
      calls.addAll(DerivedCalls.right(spec));
    }
    compare("derived", calls, testbed.proxies(), protocol);
  }

  private void compare(String where, List<List<byte[]>> calls, List<Target> targets, int protocol) {
    List<String> expected = answers(testbed.server(), calls, protocol);
    for (Target target : targets) {
      List<String> actual = answers(target, calls, protocol);
      for (int i = 0; i < calls.size(); i++) {
        compare(where, target, Script.request(calls.get(i)), expected.get(i), actual.get(i));
      }
    }
  }

  /** All commands that the server knows, whether the table has them or not. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void callsWithAnyNumberOfArgumentsGetTheRepliesOfAServer(int protocol) {
    testbed.clean();
    List<Target> targets = List.of(testbed.cluster(), testbed.single());
    for (String name : commandsOfTheServer()) {
      compare("any number of arguments", withAnyArguments(name), targets, protocol);
    }
    conclude("replies to calls with 0 to 6 arguments in RESP" + protocol);
  }

  /** Of a command that would disturb the test, only calls with a wrong number of arguments. */
  private List<List<byte[]>> withAnyArguments(String name) {
    List<Reply> info =
        Reply.parse(testbed.server().call("COMMAND", "INFO", name))
            .elements()
            .getFirst()
            .elements();
    int arity = Integer.parseInt(info.get(1).text());
    boolean blocks = info.get(2).elements().stream().anyMatch(f -> f.text().equals("blocking"));
    String command = name.replace('|', ' ');
    boolean harmful = differences.isForArityOnly(command) || differences.isRejected(command);
    return DerivedCalls.counted(
        List.of(name.split("\\|", -1)),
        blocks,
        words -> !harmful || (arity < 0 ? words < -arity : words != arity));
  }

  /** Sends the calls of a command on a connection of their own, to data made just before. */
  private static List<String> answers(Target target, List<List<byte[]>> calls, int protocol) {
    List<String> answers = new ArrayList<>();
    try (RespClient wire = target.connect(protocol)) {
      for (String line : DerivedCalls.DATA) {
        wire.write(Wire.requestBytes(InlineWords.split(line).toArray(byte[][]::new)));
      }
      for (List<byte[]> call : calls) {
        wire.write(Wire.requestBytes(call.toArray(byte[][]::new)));
      }
      wire.flush();
      DerivedCalls.DATA.forEach(_ -> assertThat(wire.read()).doesNotStartWith("-"));
      try {
        calls.forEach(_ -> answers.add(wire.read()));
      } catch (UncheckedIOException e) {
        answers.add("(" + e.getCause() + ")");
      }
    }
    while (answers.size() < calls.size()) {
      answers.add("(nothing)");
    }
    return answers;
  }

  /** Commands that are rejected by design are rejected with any arguments. */
  @Test
  void commandsRejectedByDesignAreRejected() {
    testbed.clean();
    for (CommandSpec spec : specs()) {
      if (differences.isRejected(spec.name().replace('|', ' ')) && !spec.isContainer()) {
        List<List<byte[]>> calls = DerivedCalls.right(spec);
        for (Target target : testbed.proxies()) {
          assertThat(answers(target, calls, 2))
              .as(spec.name())
              .allSatisfy(reply -> assertThat(reply).startsWith("-"));
        }
      }
    }
  }

  @Test
  void everyCommandOfTheTableIsCovered() {
    Set<String> without = new TreeSet<>(commandsOfTheServer());
    without.retainAll(specs().stream().map(CommandSpec::name).toList());
    without.removeIf(name -> differences.mentions(name.replace('|', ' ')));
    Set<String> containers = containers();
    for (Script script : Script.all()) {
      for (Script.Step step : script.steps()) {
        without.removeAll(names(step.words(), containers));
      }
    }
    assertThat(without).as("commands without a script").isEmpty();
  }

  @Test
  void commandsAreThoseOfTheServers() {
    Set<String> expected = new TreeSet<>(commandsOfTheServer());
    expected.add("client|setinfo"); // with any server
    for (Target target : testbed.proxies()) {
      assertThat(commands(target)).as(target.toString()).isEqualTo(expected);
    }
  }

  @Test
  void clientInfoHasTheFieldsOfTheServer() {
    assertThat(fields(testbed.cluster().call("CLIENT", "INFO")))
        .isEqualTo(fields(testbed.server().call("CLIENT", "INFO")));
    assertThat(testbed.cluster().call("CLIENT", "LIST")).contains("cmd=client|list");
  }

  private static Set<String> fields(String info) {
    Set<String> names = new TreeSet<>();
    for (String field : Wire.content(info).strip().split(" ", -1)) {
      names.add(field.substring(0, field.indexOf('=')));
    }
    return names;
  }

  private static List<String> names(List<byte[]> words, Set<String> containers) {
    if (words.isEmpty()) {
      return List.of();
    }
    String name = Wire.text(words.getFirst()).toLowerCase(Locale.ROOT);
    return containers.contains(name) && words.size() > 1
        ? List.of(name, name + "|" + Wire.text(words.get(1)).toLowerCase(Locale.ROOT))
        : List.of(name);
  }

  private static List<CommandSpec> specs() {
    return CommandTable.load().commands().stream()
        .flatMap(spec -> Stream.concat(Stream.of(spec), spec.subcommands().stream()))
        .toList();
  }

  private Set<String> commandsOfTheServer() {
    return commands(testbed.server());
  }

  private static Set<String> commands(Target target) {
    Set<String> names = new TreeSet<>();
    for (Reply name : Reply.parse(target.call("COMMAND", "LIST")).elements()) {
      names.add(name.text().toLowerCase(Locale.ROOT));
    }
    return names;
  }
}
