package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.Merge;
import io.penstock.core.spec.Trait;
import io.penstock.core.wire.Frames;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandlingTableTest {

  private static final String GET =
      "get 2 flags=readonly,fast range=1,1,1 key=RO,access@index:1/range:0:1:0";

  private final CommandTable table = CommandTable.load();

  private static CommandTable table(List<String> facts, String... handlings) {
    List<CommandFacts> parsed = facts.stream().map(CommandFacts::parse).toList();
    return new CommandTable(
        parsed, new HandlingDecisions(HandlingTable.parse(List.of(handlings)), CommandRules.NONE));
  }

  @Test
  void aCommandWithKeysIsForwardedUnlessALineSaysOtherwise() {
    assertThat(table(List.of(GET)).byName("get").handling()).isEqualTo(new Handling.Forward());
    assertThat(table(List.of(GET), "error no ERR {command}: no", "get refused no"))
        .extracting(it -> it.byName("get").handling())
        .isEqualTo(new Handling.Rejected("ERR GET: no"));
  }

  @Test
  void aKeylessCommandWithoutALineFailsTheLoad() {
    assertThatThrownBy(() -> table(List.of("newone -1 flags=fast")))
        .hasMessage("newone has no keys and no line in handling.table");
  }

  @Test
  void aLineForAnUnknownCommandFailsTheLoad() {
    assertThatThrownBy(() -> table(List.of(GET), "gte any-node")).hasMessageContaining("gte");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get nowhere",
        "get refused nosuch",
        "get local",
        "get split SUM",
        "get broadcast",
        "get broadcast NOSUCH",
        "get broadcast SUM beside",
        "get publish shard",
        "get blocking -1 POP",
        "get split NOSUCH"
      })
  void anInvalidLineFailsTheLoad(String line) {
    assertThatThrownBy(() -> table(List.of(GET), line))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void twoLinesForOneCommandFailTheLoad() {
    assertThatThrownBy(() -> table(List.of(GET), "get any-node", "get forward"))
        .hasMessageContaining("get");
  }

  @Test
  void aSubcommandWithoutALineHasItsContainersHandling() {
    CommandTable small =
        table(
            List.of("box -2", "box|a 2", "box|b 2"),
            "error no ERR {command}: no",
            "box refused no",
            "box|a any-node");

    assertThat(small.byName("box|a").handling()).isEqualTo(new Handling.AnyNode());
    assertThat(small.byName("box|b").handling()).isEqualTo(new Handling.Rejected("ERR BOX B: no"));
  }

  @Test
  void aDeniedCommandIsRejectedUnlessAllowed() {
    HandlingTable handlings =
        HandlingTable.parse(
            List.of("error no ERR {command}: no", "box any-node", "denied no box|b get"));
    List<CommandFacts> facts =
        Stream.of(GET, "box -2", "box|a 2", "box|b 2").map(CommandFacts::parse).toList();
    CommandTable usual =
        new CommandTable(facts, new HandlingDecisions(handlings, CommandRules.NONE));
    CommandRules rules = CommandRules.of(List.of("GET", "box"), List.of());
    CommandTable allowing = new CommandTable(facts, new HandlingDecisions(handlings, rules));

    assertThat(usual.byName("get").handling())
        .isEqualTo(
            new Handling.Rejected("ERR GET: no; add get to penstock.commands.allow to allow it"));
    assertThat(usual.byName("box|b").handling()).isInstanceOf(Handling.Rejected.class);
    assertThat(usual.byName("box|a").handling()).isEqualTo(new Handling.AnyNode());
    assertThat(allowing.byName("get").handling()).isEqualTo(new Handling.Forward());
    assertThat(allowing.byName("box|b").handling()).isEqualTo(new Handling.AnyNode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"denied no nosuch", "denied no get get"})
  void anInvalidDeniedLineFailsTheLoad(String line) {
    assertThatThrownBy(() -> table(List.of(GET), "error no ERR {command}: no", line))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCommandHasItsTraitsAndThoseOfItsContainer() {
    CommandTable small =
        table(
            List.of(GET, "box -2", "box|a 2"),
            "box any-node",
            "trait may-publish box",
            "trait may-replicate box|a get");

    assertThat(small.byName("box|a").has(Trait.MAY_PUBLISH)).isTrue();
    assertThat(small.byName("box|a").has(Trait.MAY_REPLICATE)).isTrue();
    assertThat(small.byName("box").has(Trait.MAY_REPLICATE)).isFalse();
    assertThat(small.byName("get").has(Trait.MAY_PUBLISH)).isFalse();
  }

  @Test
  void traitsDoNotDependOnRules() {
    CommandTable denying = CommandTable.load(CommandRules.of(List.of(), List.of("config")));

    assertThat(denying.byName("config|set").has(Trait.SETS_PARAMETERS)).isTrue();
  }

  @Test
  void aLearntSubcommandHasTheTraitsOfItsContainer() {
    CommandFacts learnt = CommandFacts.parse("object|newer 3 flags=readonly");
    HandlingTable handlings = HandlingTable.parse(TableResource.lines("handling.table"));

    assertThat(handlings.traitsOf(learnt).has(Trait.READS_NODE_STATE)).isTrue();
  }

  @Test
  void everyTraitIsInTheTable() {
    List<CommandSpec> all = CommandTableTest.allSpecs(table);

    assertThat(Trait.values()).allMatch(trait -> all.stream().anyMatch(spec -> spec.has(trait)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "trait may-publish nosuch",
        "trait may-publish get get",
        "trait nosuch get",
        "trait keys:nosuch get",
        "trait pattern:x get"
      })
  void anInvalidTraitLineFailsTheLoad(String line) {
    assertThatThrownBy(() -> table(List.of(GET), line))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "del, SUM, 1",
    "exists, SUM, 1",
    "mget, ARRAY_BY_KEY, 1",
    "mset, ALL_OK, 2",
    "touch, SUM, 1",
    "unlink, SUM, 1"
  })
  void independentMultiKeyCommandsAreSplit(String name, Merge merge, int keyStep) {
    assertThat(table.byName(name).handling()).isEqualTo(new Handling.Split(merge, 1, keyStep));
  }

  @Test
  void aCallWithAnIncompleteGroupIsNotSplit() {
    Handling.Split mset = new Handling.Split(Merge.ALL_OK, 1, 2);

    assertThat(mset.keys(Frames.call("MSET a 1 b 2"))).isEqualTo(2);
    assertThat(mset.keys(Frames.call("MSET a 1 b"))).isEqualTo(Handling.Split.WHOLE);
  }

  @ParameterizedTest
  @CsvSource({
    "MSETEX 2 a 1 b 2, 2",
    "MSETEX 1 a 1 EX 10, 1",
    "MSETEX 2 a 1 b 2 ex 10, 2",
    "MSETEX 2 a 1 b 2 PXAT x, 2",
    "MSETEX 2 a 1 b 2 KEEPTTL, 2",
    "MSETEX 2 NX 1 XX 2 KEEPTTL EX NX, 2",
    "MSETEX 2 a 1 b 2 NX, -1",
    "MSETEX 2 a 1 b 2 EX 10 xx, -1",
    "MSETEX 2 a 1 b 2 EX, -1",
    "MSETEX 2 a 1 b 2 IFEQ 1, -1",
    "MSETEX 2 a 1 b 2 EX 123456789012345678901, -1",
    "MSETEX 1 a 1 EX 1 EX 1 EX 1 EX 1 EX 1, -1",
    "MSETEX 3 a 1 b 2, -1",
    "MSETEX 2 a 1 b, -1",
    "MSETEX 0 a 1, -1",
    "MSETEX -1 a 1, -1",
    "MSETEX x a 1, -1",
    "MSETEX 9223372036854775807 a 1, -1",
    "MSETEX 1073741824 a 1, -1"
  })
  void aCountedCallIsSplitIfItsPartsAreIndependent(String line, int keys) {
    var msetex = (Handling.Split) table.byName("msetex").handling();

    assertThat(msetex.keys(Frames.call(line))).isEqualTo(keys);
  }

  @Test
  void everyLocalCommandIsInTheTable() {
    List<LocalCommand> local = new ArrayList<>();
    for (CommandSpec spec : CommandTableTest.allSpecs(table)) {
      if (spec.handling() instanceof Handling.Local(LocalCommand command)) {
        local.add(command);
      } else if (spec.has(Trait.ABOUT_USERS)) {
        local.add(LocalCommand.named(spec.name()));
      }
    }

    assertThat(local).containsOnly(LocalCommand.values());
    local.removeIf(LocalCommand.CLUSTER_OTHER::equals);
    assertThat(local).doesNotHaveDuplicates();
  }

  @Test
  void blockingSubscribingAndAdminCommandsAreNotForwarded() {
    List<String> harmless = List.of("module|list");
    for (CommandSpec spec : CommandTableTest.allSpecs(table)) {
      if ((spec.has(CommandFlag.BLOCKING) || spec.has(CommandFlag.ADMIN))
          && !harmless.contains(spec.name())) {
        assertThat(spec.handling())
            .as(spec.displayName())
            .isNotInstanceOfAny(
                Handling.Forward.class, Handling.Split.class, Handling.AnyNode.class);
      }
      if (spec.has(CommandFlag.PUBSUB)) {
        assertThat(spec.isContainer() || spec.name().endsWith("help") || isServedHere(spec))
            .as(spec.displayName())
            .isTrue();
      }
    }
  }

  private static boolean isServedHere(CommandSpec spec) {
    return switch (spec.handling()) {
      case Handling.Publish _, Handling.Broadcast _, Handling.Local _, Handling.Rejected _ -> true;
      case Handling.Forward _,
          Handling.Split _,
          Handling.Scan _,
          Handling.Script _,
          Handling.Watch _,
          Handling.Blocking _,
          Handling.BlockingIf _,
          Handling.AnyNode _ ->
          false;
    };
  }

  @Test
  void everyRejectionIsOneErrorLine() {
    for (CommandSpec spec : CommandTableTest.allSpecs(table)) {
      if (spec.handling() instanceof Handling.Rejected(String error, _)) {
        assertThat(error).matches("ERR [ -~]+").doesNotContain("{");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "XREAD BLOCK 0 STREAMS s 0, 2",
    "xread count 5 block 0 streams s 0, 4",
    "XREADGROUP GROUP g c BLOCK 0 STREAMS s >, 5",
    "XREADGROUP COUNT 1 GROUP g c NOACK block 10 STREAMS s >, 8",
    "XREADGROUP GROUP g c CLAIM 9 BLOCK 10 STREAMS s >, 7",
    "XREADGROUP GROUP g c CLAIM block STREAMS s >, 0",
    "XREAD STREAMS block 0, 0",
    "XREAD COUNT 5 STREAMS block 0, 0",
    "XREAD COUNT block STREAMS s 0, 0",
    "XREADGROUP GROUP block block STREAMS s >, 0",
    "XREADGROUP GROUP g c NOACK STREAMS block >, 0",
    "XREADGROUP GROUP g c CLAIM 5 BLOCK 7 STREAMS s >, 7",
    "XREADGROUP GROUP g c CLAIM 5 STREAMS block >, 0",
    "XREAD NEWER block 0 STREAMS s 0, 3",
    "XREAD COUNT 5 BLOCK, 0",
    "XREAD COUNT, 0"
  })
  void streamReadsMayBlockOnlyWithTheBlockOption(String line, int timeoutAt) {
    Command command = new Command(table, Requests.call(line));
    assertThat(command.resolve())
        .extracting(CommandSpec::handling)
        .isInstanceOfSatisfying(
            Handling.BlockingIf.class,
            condition -> assertThat(condition.timeoutAt(command.frame())).isEqualTo(timeoutAt));
  }

  @ParameterizedTest
  @CsvSource({
    "BLPOP a b 5, 3",
    "BRPOP a 5, 2",
    "BRPOPLPUSH a b 5, 3",
    "BLMOVE a b LEFT RIGHT 5, 5",
    "BLMPOP 5 1 a LEFT, 1",
    "BZPOPMIN a 5, 2",
    "BZPOPMAX a 5, 2",
    "BZMPOP 5 1 a MIN, 1"
  })
  void theTimeoutOfBlockingCommandsIsFound(String line, int timeoutAt) {
    Command command = new Command(table, Requests.call(line));
    assertThat(command.resolve())
        .extracting(CommandSpec::handling)
        .isInstanceOfSatisfying(
            Handling.Blocking.class,
            blocking -> assertThat(blocking.timeoutAt(command.frame())).isEqualTo(timeoutAt));
  }
}
