package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.spec.Merge;
import io.penstock.core.spec.Mirrored;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LearntCommandsTest {

  private static final List<Object> KEY_AT_1 = keySpec(index(1), range(0, 1, 0));

  private final CommandTable builtin = CommandTable.load(CommandRules.NONE); // with ids of its own

  private static List<Object> index(long index) {
    return half("index", List.of("index", index));
  }

  private static List<Object> range(long last, long step, long limit) {
    return half("range", List.of("lastkey", last, "keystep", step, "limit", limit));
  }

  private static List<Object> half(String type, List<Object> spec) {
    return List.of("type", type, "spec", spec);
  }

  private static List<Object> keySpec(List<Object> begin, List<Object> find, String... flags) {
    return List.of("notes", "n", "flags", List.of(flags), "begin_search", begin, "find_keys", find);
  }

  /** A command in the form of Redis 7. */
  private static List<Object> command(
      String name, long arity, List<String> flags, List<Object> keySpecs, Object... subcommands) {
    return List.of(
        name, arity, flags, 0L, 0L, 0L, List.of(), List.of(), keySpecs, List.of(subcommands));
  }

  private CommandTable learn(Object... commands) {
    return builtin.withLearnt(List.of(LearntCommands.parse(List.of(commands))), true, true);
  }

  private static List<String> keys(CommandTable table, String... call) {
    RequestFrame frame = Requests.frame(call);
    KeyPositions positions = new KeyPositions();
    CommandSpec spec = table.find(frame);
    assertThat(spec).isNotNull();
    spec.findKeys(frame, positions);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < positions.size(); i++) {
      keys.add(call[positions.get(i)]);
    }
    return keys;
  }

  @Test
  void copiesNeverGetALearntWrite() {
    CommandTable table =
        learn(
            command("x.write", -2, List.of("write"), List.of(KEY_AT_1)),
            command("x.read", -2, List.of("readonly"), List.of(KEY_AT_1)),
            command("x.either", -2, List.of(), List.of(KEY_AT_1)));

    assertThat(table.byName("x.write").mirrored()).isEqualTo(Mirrored.REFUSED);
    assertThat(table.byName("x.read").mirrored()).isEqualTo(Mirrored.NOTHING);
    assertThat(table.byName("x.either").mirrored()).isEqualTo(Mirrored.REFUSED);
  }

  @Test
  void aCommandIsLearntWithItsKeys() {
    CommandTable table =
        learn(
            command("JSON.SET", -4, List.of("write", "denyoom", "module"), List.of(KEY_AT_1)),
            command(
                "x.num",
                -3,
                List.of(),
                List.of(
                    keySpec(
                        index(2),
                        half("keynum", List.of("keynumidx", 0L, "firstkey", 1L, "keystep", 1L))))),
            command(
                "x.word",
                -3,
                List.of(),
                List.of(
                    keySpec(
                        half("keyword", List.of("keyword", "AT", "startfrom", 1L)),
                        range(-1, 1, 0)))));

    assertThat(table.size()).isEqualTo(builtin.size() + 3);
    assertThat(table.byName("json.set").isWrite()).isTrue();
    assertThat(table.byName("json.set").firstKeyIndex()).isOne();
    assertThat(table.byName("json.set").handling()).isEqualTo(new Handling.Forward());
    assertThat(keys(table, "JSON.SET", "a", "$", "1")).containsExactly("a");
    assertThat(keys(table, "X.NUM", "o", "2", "a", "b", "c")).containsExactly("a", "b");
    assertThat(keys(table, "X.WORD", "o", "at", "a", "b")).containsExactly("a", "b");
  }

  @Test
  void aServerBeforeRedis7SaysFirstAndLastKey() {
    CommandTable table =
        learn(
            List.of("old.one", -2L, List.of("readonly"), 1L, 1L, 1L, List.of("@read")),
            List.of("old.all", -2L, List.of(), 1L, -1L, 2L, List.of()),
            List.of("old.none", -1L, List.of(), 0L, 0L, 0L, List.of()));

    assertThat(keys(table, "old.one", "a", "b")).containsExactly("a");
    assertThat(keys(table, "old.all", "a", "1", "b", "2")).containsExactly("a", "b");
    assertThat(table.byName("old.one").isReadOnly()).isTrue();
    assertThat(table.byName("old.none").handling()).isEqualTo(new Handling.AnyNode());
  }

  @Test
  void knownCommandsKeepTheirSpecs() {
    CommandTable table =
        learn(
            command("get", 2, List.of("write"), List.of()),
            command(
                "debug", -2, List.of(), List.of(), command("debug|new", 2, List.of(), List.of())));

    assertThat(table).isSameAs(builtin);
  }

  @Test
  void idsStayAndNewCommandsGetTheNextOnes() {
    CommandTable first = learn(command("a.a", -1, List.of(), List.of()));
    CommandTable second =
        first.withLearnt(
            List.of(
                LearntCommands.parse(
                    List.of(
                        command("a.a", -2, List.of(), List.of()),
                        command("aa", -1, List.of(), List.of())))),
            true,
            true);

    assertThat(second.byName("get")).isSameAs(builtin.byName("get"));
    assertThat(second.byName("a.a").id()).isEqualTo(first.byName("a.a").id());
    assertThat(second.byName("a.a").arity()).isEqualTo(-2);
    assertThat(CommandTableTest.allSpecs(second).stream().mapToInt(CommandSpec::id).sorted())
        .containsExactlyElementsOf(IntStream.range(0, second.size()).boxed().toList());
    assertThat(second.namesNotIn(builtin)).containsExactly("a.a", "aa");
    assertThat(second.commands()).extracting(CommandSpec::name).isSorted();
  }

  @Test
  void newSubcommandsHaveTheHandlingOfTheirContainer() {
    CommandTable table =
        learn(
            command(
                "object",
                -2,
                List.of(),
                List.of(),
                command("object|new", -3, List.of(), List.of(keySpec(index(2), range(0, 1, 0))))),
            command(
                "cluster",
                -2,
                List.of(),
                List.of(),
                command("cluster|new", 2, List.of(), List.of())),
            command("box", -2, List.of(), List.of(), command("box|in", 2, List.of(), List.of())));

    assertThat(table.byName("object|new").firstKeyIndex()).isEqualTo(2);
    assertThat(table.find(Requests.frame("OBJECT", "NEW", "k")))
        .isSameAs(table.byName("object|new"));
    assertThat(table.byName("object").id()).isEqualTo(builtin.byName("object").id());
    assertThat(table.byName("cluster|new").handling())
        .isEqualTo(builtin.byName("cluster").handling());
    assertThat(table.byName("box").isContainer()).isTrue();
    assertThat(table.byName("box|in").handling()).isEqualTo(new Handling.AnyNode());
  }

  @Test
  void aKnownCommandTakesTheArityThatNodesReport() {
    CommandTable table =
        learn(
            command("get", -2, List.of("write"), List.of()),
            command("incrby", 4, List.of(), List.of()),
            command("ping", -3, List.of(), List.of()),
            command("echo", -1, List.of(), List.of()),
            command("mget", -3, List.of(), List.of()));

    assertThat(table.byName("get").arity()).isEqualTo(-2);
    assertThat(table.byName("get").isReadOnly()).isTrue();
    assertThat(table.byName("get").firstKeyIndex()).isOne();
    assertThat(table.byName("incrby").arity()).isEqualTo(4);
    assertThat(table.byName("ping").arity()).isEqualTo(-3);
    assertThat(table.byName("echo").arity()).isEqualTo(2);
    assertThat(table.byName("mget").arity()).isEqualTo(-3);
  }

  @ParameterizedTest
  @CsvSource({
    "blocking, '', it may block, and Penstock does not know how to end it",
    "pubsub, '', Penstock does not know how it changes subscriptions",
    "movablekeys, '', servers do not report which of its arguments are keys",
    "fast, '@connection', 'it acts on the connection, and connections to nodes are shared'",
    "fast, 'request_policy:all_shards response_policy:special', how to merge the replies of all nodes",
    "fast, 'request_policy:of_tomorrow', which nodes to send it to",
  })
  void unsupportedCommandsAreRejected(String flag, String more, String reason) {
    List<String> acl = more.startsWith("@") ? List.of(more) : List.of();
    List<String> tips = more.startsWith("r") ? List.of(more.split(" ", -1)) : List.of();
    CommandTable table =
        learn(List.of("n.w", -1L, List.of(flag), 0L, 0L, 0L, acl, tips, List.of(), List.of()));

    assertThat(table.byName("n.w").handling().toString()).contains(reason.split(",", -1)[0]);
  }

  @ParameterizedTest
  @CsvSource({
    "'', CONCAT",
    "response_policy:agg_sum, SUM",
    "response_policy:one_succeeded, ONE_SUCCEEDED"
  })
  void repliesAreMergedByTheResponsePolicy(String tip, Merge merge) {
    List<String> tips = List.of("nondeterministic_output", "request_policy:all_shards", tip);
    CommandTable table =
        learn(List.of("n.w", -1L, List.of(), 0L, 0L, 0L, List.of(), tips, List.of(), List.of()));

    assertThat(table.byName("n.w").handling()).isEqualTo(new Handling.Broadcast(merge, false));
  }

  @Test
  void keysAndPoliciesDoNotMatterForASingleServer() {
    List<Object> command = command("n.w", -1, List.of("movablekeys"), List.of());
    CommandTable table =
        builtin.withLearnt(List.of(LearntCommands.parse(List.of(command))), false, true);

    assertThat(table.byName("n.w").handling()).isEqualTo(new Handling.Forward());
  }

  @Test
  void keysThatSpecsDoNotLocateAreLeftToTheNode() {
    CommandTable table =
        learn(
            command(
                "n.w",
                -2,
                List.of("movablekeys"),
                List.of(
                    keySpec(index(1), range(0, 1, 0), "RW", "incomplete"),
                    keySpec(half("unknown", List.of()), half("unknown", List.of()), "OW"))));

    assertThat(keys(table, "n.w", "a", "STORE", "b")).containsExactly("a");
  }

  @Test
  void dangerousCommandsAreDeniedUnlessAllowed() {
    List<Object> dangerous = command("n.w", -1, List.of("admin"), List.of());
    CommandTable allowing =
        CommandTable.load(CommandRules.of(List.of("N.W"), List.of()))
            .withLearnt(List.of(LearntCommands.parse(List.of(dangerous))), true, true);

    assertThat(learn(dangerous).byName("n.w").handling())
        .isEqualTo(
            new Handling.Rejected(
                "ERR N.W is not allowed through this proxy: servers flag it as dangerous;"
                    + " add n.w to penstock.commands.allow to allow it"));
    assertThat(allowing.byName("n.w").handling()).isEqualTo(new Handling.AnyNode());
  }

  @Test
  void tablesOfOneProxyHaveTheSameIdsWhateverTheirRules() {
    CommandTable one = learn(command("n.a", 1, List.of(), List.of()));
    CommandTable other =
        builtin
            .withRules(CommandRules.of(List.of(), List.of("get")))
            .withLearnt(
                List.of(
                    LearntCommands.parse(
                        List.of(
                            command("n.b", 1, List.of(), List.of()),
                            command("n.a", 1, List.of(), List.of())))),
                true,
                true);

    assertThat(other.byName("n.a").id()).isEqualTo(one.byName("n.a").id());
    assertThat(other.byName("n.b").id()).isEqualTo(one.size()).isLessThan(other.size());
    assertThat(other.byName("get").id()).isEqualTo(builtin.byName("get").id());
    assertThat(other.byName("get").handling()).isInstanceOf(Handling.Rejected.class);
    assertThat(builtin.byName("get").handling()).isInstanceOf(Handling.Forward.class);
  }

  @Test
  void ifNodesDifferTheLastApplies() {
    LearntCommands older = LearntCommands.parse(List.of(command("n.w", 2, List.of(), List.of())));
    LearntCommands newer = LearntCommands.parse(List.of(command("n.w", -2, List.of(), List.of())));

    assertThat(builtin.withLearnt(List.of(older, newer), true, true).byName("n.w").arity())
        .isEqualTo(-2);
    assertThat(builtin.withLearnt(List.of(newer, older), true, true).byName("n.w").arity())
        .isEqualTo(2);
  }

  @Test
  void theNumberOfLearntCommandsIsLimited() {
    List<Object> commands = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      commands.add(command("m." + i, -1, List.of(), List.of()));
    }
    Collections.shuffle(commands, new Random(1));
    CommandTable once = builtin.withLearnt(List.of(LearntCommands.parse(commands)), true, true);
    Collections.shuffle(commands, new Random(2));
    CommandTable twice = once.withLearnt(List.of(LearntCommands.parse(commands)), true, true);

    assertThat(once.size()).isEqualTo(builtin.size() + CommandTable.MAX_LEARNT);
    assertThat(twice.size()).isEqualTo(once.size());
  }

  @Test
  void invalidEntriesAreSkipped() {
    List<Object> nonsense = new ArrayList<>();
    nonsense.add(null);
    nonsense.add("text");
    nonsense.add(List.of());
    nonsense.add(List.of("no.arity"));
    nonsense.add(command("", 1, List.of(), List.of()));
    nonsense.add(command("a b", 1, List.of(), List.of()));
    nonsense.add(command("top|sub", 1, List.of(), List.of()));
    nonsense.add(command("x".repeat(129), 1, List.of(), List.of()));
    nonsense.add(command("caf\u00e9", 1, List.of(), List.of()));
    nonsense.add(command("zero", 0, List.of(), List.of()));
    nonsense.add(command("far", Long.MIN_VALUE, List.of(), List.of()));
    nonsense.add(
        command("box", -2, List.of(), List.of(), command("other|in", 2, List.of(), List.of())));

    CommandTable table = builtin.withLearnt(List.of(LearntCommands.parse(nonsense)), true, true);

    assertThat(table.namesNotIn(builtin)).containsExactly("box");
    assertThat(table.byName("box").isContainer()).isFalse();
  }

  @Test
  void numbersOutOfRangeAreIgnored() {
    Random random = new Random(3);
    long[] numbers = {0, 1, 2, -1, -2, 7, 1_024, 1_025, Integer.MAX_VALUE, Long.MIN_VALUE};
    for (int i = 0; i < 3_000; i++) {
      List<Object> spec = new ArrayList<>();
      for (String name :
          List.of(
              "index",
              "keyword",
              "startfrom",
              "lastkey",
              "keystep",
              "limit",
              "keynumidx",
              "firstkey")) {
        spec.add(name);
        spec.add(
            name.equals("keyword") && random.nextBoolean()
                ? "b"
                : (Object) numbers[random.nextInt(numbers.length)]);
      }
      List<Object> keySpec =
          keySpec(
              half(List.of("index", "keyword", "x").get(random.nextInt(3)), spec),
              half(List.of("range", "keynum", "x").get(random.nextInt(3)), spec));
      CommandTable table = learn(command("n.w", -1, List.of(), List.of(keySpec, KEY_AT_1)));
      assertThat(keys(table, "n.w", "a", "b", "2", "c", "3", "d")).hasSizeLessThan(14);
    }
  }

  @Test
  void missingFieldsHaveDefaults() {
    @Nullable Object nothing = null;
    List<CommandFacts> read = new ArrayList<>();
    CommandReplyParser.parse(nothing, read::add);
    CommandReplyParser.parse(
        Arrays.asList("n.w", 2L, nothing, nothing, 1L, 1L, nothing, nothing, nothing), read::add);

    assertThat(read).containsExactly(CommandFacts.parse("n.w 2"));
  }

  @Test
  void namesAreShownAsTheServerWritesThem() {
    CommandTable table = learn(command("FT.Find", -2, List.of("module"), List.of(KEY_AT_1)));
    CommandSpec spec = table.byName("ft.find");

    assertThat(table.find(Requests.frame("ft.FIND", "a"))).isSameAs(spec);
    assertThat(spec.name()).isEqualTo("ft.find");
    assertThat(spec.displayName()).isEqualTo("FT.FIND");
    assertThat(CommandErrors.wrongArity(spec))
        .isEqualTo("ERR wrong number of arguments for 'FT.Find' command");
    assertThat(CommandErrors.wrongArity(builtin.byName("vadd")))
        .isEqualTo("ERR wrong number of arguments for 'VADD' command");
  }

  @Test
  void aReplicaMayServeWhatModulesReportAsReadonly() {
    List<Object> written = keySpec(index(1), range(0, 1, 0), "RW", "access", "update");
    CommandTable table =
        learn(
            command("m.get", 2, List.of("readonly", "module"), List.of(written)),
            command("m.set", 2, List.of("write", "module"), List.of(written)),
            command("m.search", 2, List.of("readonly", "module"), List.of()),
            command("later", 2, List.of("readonly"), List.of(written)));

    assertThat(table.byName("m.get").mayReadReplica()).isTrue();
    assertThat(table.byName("m.set").mayReadReplica()).isFalse();
    assertThat(table.byName("m.search").mayReadReplica()).as("without keys").isFalse();
    assertThat(table.byName("later").mayReadReplica()).as("like PFCOUNT").isFalse();
  }

  /** What a server with only these built-in commands reports. */
  private static LearntCommands having(Object... commands) {
    List<Object> all = new ArrayList<>(List.of(commands));
    all.add(command("command", -1, List.of(), List.of()));
    all.add(command("get", 2, List.of(), List.of()));
    return LearntCommands.parse(all);
  }

  private static Object container(String name, String... subcommands) {
    List<Object> parts = new ArrayList<>();
    for (String sub : subcommands) {
      parts.add(command(name + "|" + sub, -2, List.of(), List.of()));
    }
    return command(name, -2, List.of(), List.of(), parts.toArray());
  }

  @Test
  void whatNoNodeHasIsUnknown() {
    LearntCommands older = having(container("client", "id", "kill"), container("slowlog", "len"));
    LearntCommands newer = having(command("hget", 3, List.of(), List.of()));
    CommandTable table = builtin.withLearnt(List.of(older, newer), true, true);

    assertThat(table.commands())
        .extracting(CommandSpec::name)
        .contains("client", "command", "get", "hget", "slowlog")
        .doesNotContain("set", "waitaof", "hotkeys");
    assertThat(table.find(Requests.frame("SET", "a", "1"))).isNull();
    assertThat(table.knows("set")).isFalse();
    assertThat(table.byName("slowlog").subcommands()).containsExactly(table.byName("slowlog|len"));
    assertThat(table.find(Requests.frame("SLOWLOG", "GET"))).isSameAs(table.byName("slowlog"));
    assertThat(table.find(Requests.frame("CLIENT", "CAPA", "redirect")))
        .isSameAs(table.byName("client"));
    assertThat(table.find(Requests.frame("CLIENT", "NO-TOUCH", "ON")))
        .as("Penstock could answer it, but a server would not")
        .isSameAs(table.byName("client"));
    assertThat(table.find(Requests.frame("CLIENT", "SETINFO", "LIB-NAME", "lib")))
        .isSameAs(table.byName("client|setinfo"));
    assertThat(table.namesNotIn(builtin)).isEmpty();
    assertThat(table.size()).isEqualTo(builtin.size());
    assertThat(table.specs()).extracting(CommandSpec::id).doesNotHaveDuplicates();
    assertThat(table.withRules(CommandRules.NONE).knows("set")).isFalse();
    assertThat(table.forOtherNodes(CommandRules.NONE).knows("set")).isTrue();
  }

  @Test
  void untilAllNodesHaveAnsweredNothingBecomesUnknown() {
    CommandTable some = builtin.withLearnt(List.of(having()), true, false);
    CommandTable all = builtin.withLearnt(List.of(having()), true, true);
    CommandTable none = all.withLearnt(List.of(), true, true);
    CommandTable later =
        all.withLearnt(List.of(having(command("hget", 3, List.of(), List.of()))), true, false);

    assertThat(some).isSameAs(builtin);
    assertThat(all.knows("hget")).isFalse();
    assertThat(none).as("no nodes").isSameAs(all);
    assertThat(later.knows("hget")).as("a node has it").isTrue();
    assertThat(later.byName("hget")).isSameAs(builtin.byName("hget"));
    assertThat(later.knows("set")).as("no node is known to have it").isFalse();
  }

  @Test
  void aReplyWithoutCommandItselfMakesNothingUnknown() {
    assertThat(learn(command("get", 2, List.of(), List.of()))).isSameAs(builtin);
  }

  @Test
  void serversBeforeRedis7HaveTheSubcommandsOfTheirContainers() {
    List<Object> six =
        List.of(
            List.of("command", -1L, List.of(), 0L, 0L, 0L),
            List.of("client", -2L, List.of(), 0L, 0L, 0L));
    CommandTable table = builtin.withLearnt(List.of(LearntCommands.parse(six)), true, true);

    assertThat(table.knows("client|kill")).isTrue();
    assertThat(table.knows("client|capa")).isTrue();
    assertThat(table.knows("function|load")).isFalse();
    assertThat(table.knows("function")).isFalse();
  }

  @Test
  void anArityThatServersChangedComesBackWhenTheyAreUpgraded() {
    LearntCommands older = having(command("zrank", 3, List.of(), List.of()));
    LearntCommands newer = having(command("zrank", -3, List.of(), List.of()));
    CommandTable before = builtin.withLearnt(List.of(older), true, true);

    assertThat(before.byName("zrank").arity()).isEqualTo(3);
    assertThat(before.withLearnt(List.of(older, newer), true, true).byName("zrank").arity())
        .isEqualTo(-3);
    assertThat(before.withLearnt(List.of(newer), true, true).byName("zrank").arity()).isEqualTo(-3);
  }
}
