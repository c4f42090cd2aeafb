package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.RequestPolicy;
import io.penstock.core.spec.ResponsePolicy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class CommandTableTest {

  private final CommandTable table = CommandTable.load();

  public static List<CommandSpec> allSpecs(CommandTable table) {
    List<CommandSpec> specs = new ArrayList<>();
    for (CommandSpec command : table.commands()) {
      specs.add(command);
      specs.addAll(command.subcommands());
    }
    return specs;
  }

  @Test
  void everyCommandIsFoundInAnyCase() {
    Random random = new Random(7);
    for (CommandSpec spec : allSpecs(table)) {
      for (String name : List.of(spec.name(), spec.displayName().replace(' ', '|'))) {
        assertThat(table.find(Requests.frame(name.split("\\|", -1)))).isSameAs(spec);
      }
      String mixed = mixCase(spec.name(), random);
      assertThat(table.find(Requests.frame(mixed.split("\\|", -1)))).as(mixed).isSameAs(spec);
      assertThat(table.byName(mixed)).isSameAs(spec);
    }
  }

  private static String mixCase(String name, Random random) {
    StringBuilder mixed = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      mixed.append(random.nextBoolean() ? Character.toUpperCase(c) : c);
    }
    return mixed.toString();
  }

  @Test
  void everyCommandIsFoundAtTheVeryEndOfABufferAndBetweenOtherBytes() {
    for (CommandSpec spec : table.commands()) {
      for (String around :
          List.of("", "x", "GET", "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff")) {
        String text = around + spec.name().toUpperCase(Locale.ROOT) + around;
        RequestFrame frame = new RequestFrame();
        frame.begin(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1)), 0);
        frame.add(around.length(), spec.name().length());
        assertThat(table.find(frame)).isSameAs(spec);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "G",
        "GE",
        "GETT",
        "GET\0",
        "\0GET",
        " GET",
        "get ",
        "g\u00e5t",
        "[et",
        "GET\r\n",
        "CONFIG|GET",
        "GEORADIUSBYMEMBER_R",
        "GEORADIUSBYMEMBER_RX",
        "GEORADIUSBYMEMBER_ROX",
        "GEORADIUXBYMEMBER_RO",
        "INCRBYFLOAX",
        "\0\0\0\0",
        "g%t",
        "GET\0\0\0\0\0"
      })
  void anUnknownNameIsNotFound(String name) {
    assertThat(table.find(Requests.frame(name, "a"))).isNull();
    assertThat(table.find(Requests.frame(name))).isNull();
  }

  @Test
  void aNameThatDiffersFromACommandInOneByteIsNotThatCommand() {
    for (CommandSpec spec : table.commands()) {
      for (int i = 0; i < spec.name().length(); i++) {
        char[] name = spec.name().toCharArray();
        name[i] = (char) (name[i] ^ 0x80);
        assertThat(table.find(Requests.frame(new String(name)))).isNull();
      }
    }
  }

  @Test
  void onlyLettersAreComparedIgnoringCase() {
    assertThat(table.find(Requests.frame("restore\rasking"))).isNull(); // '-' without bit 0x20
    assertThat(table.find(Requests.frame("restore-asking"))).isNotNull();
    assertThat(table.find(Requests.frame("SORT\u007fRO"))).isNull(); // '_' with bit 0x20
    assertThat(table.find(Requests.frame("SORT_RO"))).isNotNull();
  }

  @Test
  void theContainerIsFoundIfTheSubcommandIsMissingOrUnknown() {
    CommandSpec config = table.byName("config");

    assertThat(table.find(Requests.frame("CONFIG"))).isSameAs(config);
    assertThat(table.find(Requests.frame("CONFIG", "NOSUCH"))).isSameAs(config);
    assertThat(table.find(Requests.frame("CONFIG", ""))).isSameAs(config);
    assertThat(table.find(Requests.frame("CONFIG", "set", "a", "1")))
        .isSameAs(table.byName("config|set"));
    assertThat(table.find(Requests.frame("CLUSTER", "COUNT-FAILURE-REPORTS", "x")))
        .isSameAs(table.byName("cluster|count-failure-reports"));
  }

  @Test
  void unknownAndMissingSubcommandsAreDistinguished() {
    assertThat(resolved("CONFIG", "NOSUCH").isUnknownSubcommand()).isTrue();
    assertThat(resolved("CONFIG").isUnknownSubcommand()).isFalse();
    assertThat(resolved("CONFIG", "GET", "x").isUnknownSubcommand()).isFalse();
    assertThat(resolved("GET", "x").isUnknownSubcommand()).isFalse();
    assertThat(resolved("NOSUCH", "x").isUnknownSubcommand()).isFalse();
  }

  private Command resolved(String... arguments) {
    Command command = new Command(table, Requests.frame(arguments));
    command.resolve();
    return command;
  }

  @Test
  void idsAreDenseOverCommandsAndSubcommands() {
    int[] ids = allSpecs(table).stream().mapToInt(CommandSpec::id).sorted().toArray();

    assertThat(ids).isEqualTo(IntStream.range(0, table.size()).toArray());
  }

  @Test
  void readsThatEachReplicaAnswersLikeItsMasterMayGoThere() {
    List<String> masters = new ArrayList<>();
    for (CommandSpec spec : allSpecs(table)) {
      assertThat(spec.mayReadReplica() && !spec.isReadOnly()).as(spec.name()).isFalse();
      if (spec.isReadOnly() && !spec.mayReadReplica()) {
        masters.add(spec.name());
      }
    }

    assertThat(masters)
        .containsExactlyInAnyOrder(
            "clusterscan",
            "dbsize",
            "keys",
            "lolwut",
            "randomkey",
            "scan", // without keys
            "memory|usage",
            "object|encoding",
            "object|freq",
            "object|idletime",
            "object|refcount",
            "pfcount",
            "touch",
            "vinfo",
            "vlinks",
            "xinfo|consumers",
            "xinfo|groups",
            "xinfo|stream");
  }

  @Test
  void theTableHasTheCommandsOfAllServers() {
    assertThat(table.commands()).hasSize(278);
    assertThat(table.size()).isEqualTo(426);
    assertThat(table.byName("vcard").isReadOnly()).isTrue(); // Redis only
    assertThat(table.byName("script|show").arity()).isEqualTo(3); // Valkey only
  }

  @Test
  void theNewestServersFactsApply() {
    assertThat(table.byName("zrank").arity()).isEqualTo(-3); // WITHSCORE came with 7.2
    assertThat(table.byName("wait").has(CommandFlag.BLOCKING)).isTrue();
    assertThat(table.byName("msetnx").tips()).isEmpty();
  }

  @Test
  void arityIsExactOrAtLeast() {
    CommandSpec get = table.byName("get");
    CommandSpec mget = table.byName("mget");

    assertThat(Arrays.asList(get.acceptsArity(1), get.acceptsArity(2), get.acceptsArity(3)))
        .containsExactly(false, true, false);
    assertThat(Arrays.asList(mget.acceptsArity(1), mget.acceptsArity(2), mget.acceptsArity(99)))
        .containsExactly(false, true, true);
  }

  @Test
  void aSpecHasTheFactsOfServers() {
    CommandSpec spec = table.byName("CONFIG|SET");

    assertThat(spec.name()).isEqualTo("config|set");
    assertThat(spec.displayName()).isEqualTo("CONFIG SET").hasToString(spec.toString());
    assertThat(spec.has(CommandFlag.ADMIN)).isTrue();
    assertThat(spec.has(CommandFlag.FAST)).isFalse();
    assertThat(spec.requestPolicy()).isEqualTo(RequestPolicy.ALL_NODES);
    assertThat(spec.responsePolicy()).isEqualTo(ResponsePolicy.ALL_SUCCEEDED);
    assertThat(spec.aclCategories())
        .containsExactly(AclCategory.ADMIN, AclCategory.SLOW, AclCategory.DANGEROUS);
    assertThat(table.byName("get").requestPolicy()).isEqualTo(RequestPolicy.DEFAULT);
    assertThat(table.byName("set").isWrite()).isTrue();
    assertThat(table.byName("eval").isWrite() || table.byName("eval").isReadOnly()).isFalse();
  }

  @Test
  void everyPolicyOfTheTableIsKnown() {
    for (CommandSpec spec : allSpecs(table)) {
      assertThat(spec.requestPolicy()).isNotNull();
      assertThat(spec.responsePolicy()).isNotNull();
    }
  }

  @Test
  void theErrorForAnUnknownNameContainsIt() {
    assertThatThrownBy(() -> table.byName("nosuch"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nosuch");
  }
}
