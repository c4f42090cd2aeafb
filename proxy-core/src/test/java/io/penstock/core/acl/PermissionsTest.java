package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.acl.Denial.Reason;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.LearntCommands;
import io.penstock.core.command.Requests;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerVersion;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What {@code PermissionsIT} does not compare with a server. */
class PermissionsTest {

  private final CommandTable table = CommandTable.load();

  private static Permissions permissions(CommandTable table, String rules) throws AclRuleException {
    List<String> words = Arrays.asList(rules.split(" ", -1));
    return Permissions.of(AclRules.change(AclUser.created("u"), words, table), table);
  }

  private static @Nullable Denial denial(CommandTable table, Permissions user, String call) {
    var command = new Command(table, Requests.call(call));
    command.resolve();
    return user.denial(command);
  }

  private @Nullable Denial denial(String rules, String call) throws AclRuleException {
    return denial(table, permissions(table, rules), call);
  }

  @Test
  void theCommandIsCheckedBeforeKeysAndChannels() throws AclRuleException {
    assertThat(denial("+@all -get ~a:*", "GET x")).isEqualTo(new Denial(Reason.COMMAND, "get"));
    assertThat(denial("+@all ~a:*", "GET x")).isEqualTo(new Denial(Reason.KEY, "x"));
    assertThat(denial("+@all &a", "PUBLISH b m")).isEqualTo(new Denial(Reason.CHANNEL, "b"));
    assertThat(denial("+@all ~a:* &a", "CONFIG GET b")).isNull();
    assertThat(denial("+config|get", "config SET a b"))
        .isEqualTo(new Denial(Reason.COMMAND, "config|set"));
  }

  @Test
  void theSelectorThatComesFarthestSaysWhatIsMissing() throws AclRuleException {
    String rules = "+mset ~a ~b (+mset ~a) (+get ~*)";

    assertThat(denial(rules, "MSET a 1 b 2 c 3")).isEqualTo(new Denial(Reason.KEY, "c"));
    assertThat(denial(rules, "MSET a 1 b 2")).isNull();
    assertThat(denial(rules, "DEL a")).isEqualTo(new Denial(Reason.COMMAND, "del"));
  }

  @Test
  void namesAndFirstArgumentsIgnoreCase() throws AclRuleException {
    assertThat(denial("+SELECT|0", "sElEcT 0")).isNull();
    assertThat(denial("+select|0", "SELECT 1")).isEqualTo(new Denial(Reason.COMMAND, "select"));
    assertThat(denial("+config|GET", "CONFIG gEt x")).isNull();
    assertThat(denial("+get|KEY ~*", "GET key")).isNull();
    assertThat(denial("+get|key +@read -@read ~*", "GET key")).isNotNull();
  }

  @Test
  void everybodyMayAuthenticate() throws AclRuleException {
    assertThat(denial("-@all", "AUTH u p")).isNull();
    assertThat(denial("-@all", "HELLO 3")).isNull();
    assertThat(denial("-@all", "RESET")).isNull();
    assertThat(denial("-@all", "PING")).isNotNull();
  }

  @Test
  void whatNoServerRunsGetsItsOwnError() throws AclRuleException {
    for (String call : List.of("NOSUCH a", "CONFIG NOSUCH", "CONFIG", "GET", "GET a b")) {
      assertThat(denial("-@all", call)).as(call).isNull();
    }
  }

  @Test
  void patternsOfSortNeedAllKeys() throws AclRuleException {
    assertThat(denial("+@all ~a", "SORT a BY w_*")).isEqualTo(new Denial(Reason.SORT_OPTION, "BY"));
    assertThat(denial("+@all ~a", "SORT_RO a LIMIT 0 1 get #"))
        .isEqualTo(new Denial(Reason.SORT_OPTION, "GET"));
    assertThat(denial("+@all ~a", "SORT a BY nosort")).isNull();
    assertThat(denial("+@all %R~* ~a", "SORT a BY w_* GET o_* STORE a")).isNull();
    assertThat(denial("+@all ~a (+@all %R~*)", "SORT a BY w_* STORE a"))
        .isEqualTo(new Denial(Reason.SORT_OPTION, "BY"));
  }

  @Test
  void anEmptyKeyOnlyMatchesAllKeys() throws AclRuleException {
    assertThat(denial("+@all ~*", "GET \"\"")).isNull();
    assertThat(denial("+@all %R~*", "GET \"\"")).isEqualTo(new Denial(Reason.KEY, ""));
  }

  private static List<Object> learnt(String name, List<Object> flags, List<Object> keySpecs) {
    return List.of(name, -2L, flags, 0L, 0L, 0L, List.of(), List.of(), keySpecs, List.of());
  }

  private static List<Object> keySpec(String begin, List<Object> spec, Object... flags) {
    return List.of(
        "flags",
        List.of(flags),
        "begin_search",
        List.of("type", begin, "spec", spec),
        "find_keys",
        List.of("type", "range", "spec", List.of("lastkey", 0L, "keystep", 1L, "limit", 0L)));
  }

  @Test
  void keysOfLearntCommandsAreNeverGuessed() throws AclRuleException {
    List<Object> first = List.of("index", 1L);
    CommandTable learnt =
        table.withLearnt(
            List.of(
                LearntCommands.parse(
                    List.of(
                        learnt(
                            "x.one", List.of(), List.of(keySpec("index", first, "RO", "access"))),
                        learnt("x.some", List.of(), List.of(keySpec("index", first, "incomplete"))),
                        learnt("x.api", List.of("module", "movablekeys"), List.of()),
                        learnt("x.none", List.of("module"), List.of())))),
            false,
            false);
    Permissions some = permissions(learnt, "+@all %R~a");
    Permissions all = permissions(learnt, "+@all ~*");

    assertThat(denial(learnt, some, "X.ONE a")).isNull();
    assertThat(denial(learnt, some, "X.ONE b")).isEqualTo(new Denial(Reason.KEY, "b"));
    assertThat(denial(learnt, some, "X.NONE b")).isNull();
    for (String call : List.of("X.SOME a", "X.API a")) {
      assertThat(denial(learnt, some, call)).as(call).isNotNull();
      assertThat(denial(learnt, all, call)).as(call).isNull();
    }
  }

  @Test
  void withoutKeyFlagsKeysMayBeReadAndWritten() throws AclRuleException {
    List<Object> old = List.of("x.old", -2L, List.of("write"), 1L, 1L, 1L, List.of());
    CommandTable learnt =
        table.withLearnt(List.of(LearntCommands.parse(List.of(old))), false, false);

    assertThat(denial(learnt, permissions(learnt, "+@all ~a"), "X.OLD a")).isNull();
    assertThat(denial(learnt, permissions(learnt, "+@all %R~a"), "X.OLD a")).isNotNull();
    assertThat(denial(learnt, permissions(learnt, "+@all %W~a"), "X.OLD a")).isNotNull();
  }

  @Test
  void commandsOfAnotherTableNeedAllCommands() throws AclRuleException {
    CommandTable learnt =
        table.withLearnt(
            List.of(LearntCommands.parse(List.of(learnt("x.new", List.of(), List.of())))),
            false,
            false);

    assertThat(denial(learnt, permissions(table, "+@all ~* &*"), "X.NEW a")).isNull();
    assertThat(denial(learnt, permissions(table, "+@all -get ~*"), "X.NEW a")).isNull();
    assertThat(denial(learnt, permissions(table, "+@read ~*"), "X.NEW a")).isNotNull();
    assertThat(denial(learnt, permissions(learnt, "+x.new ~*"), "X.NEW a")).isNull();
    assertThat(denial(learnt, permissions(learnt, "+@all -x.new ~*"), "X.NEW a")).isNotNull();
  }

  @Test
  void onlyTheWholeOfEverythingIsEverything() throws AclRuleException {
    assertThat(permissions(table, "+@all ~* &*").permitsEverything()).isTrue();
    assertThat(permissions(table, "+get (allcommands allkeys allchannels)").permitsEverything())
        .isTrue();
    assertThat(Permissions.of(AclUser.unrestricted("u"), table).permitsEverything()).isTrue();
    String last = table.specs().getLast().name();
    for (String rules :
        List.of("+@all ~*", "+@all &*", "~* &*", "+@all %R~* &*", "+@all -" + last + " ~* &*")) {
      assertThat(permissions(table, rules).permitsEverything()).as(rules).isFalse();
    }
  }

  @Test
  void scriptsNeedASelectorWithAllKeys() throws AclRuleException {
    var eval = new Command(table, Requests.call("EVAL s 1 a"));
    eval.resolve();

    assertThat(permissions(table, "+eval ~*").permitsWithAllKeys(eval)).isTrue();
    assertThat(permissions(table, "+eval ~a (~* +get)").permitsWithAllKeys(eval)).isFalse();
    assertThat(permissions(table, "+eval %R~* ~a").permitsWithAllKeys(eval)).isFalse();
  }

  @Test
  void subscriptionsStayIfASelectorPermitsThem() throws AclRuleException {
    Permissions user = permissions(table, "&a* (&b)");

    assertThat(user.permitsChannel("ab", false)).isTrue();
    assertThat(user.permitsChannel("b", false)).isTrue();
    assertThat(user.permitsChannel("c", false)).isFalse();
    assertThat(user.permitsChannel("a*", true)).isTrue();
    assertThat(user.permitsChannel("ab", true)).isFalse();
    assertThat(permissions(table, "&*").permitsChannel("?", true)).isTrue();
  }

  @Test
  void errorsAreInTheWordsOfTheVersion() {
    ServerFacts older = ServerFacts.initial(table);
    ServerFacts newer = new ServerFacts(new ServerVersion(7, 2, 0), null, table);
    Denial command = new Denial(Reason.COMMAND, "config|get");
    Denial key = new Denial(Reason.KEY, "k");
    Denial channel = new Denial(Reason.CHANNEL, "c");

    assertThat(AclWords.error(command, "u", older))
        .isEqualTo("NOPERM this user has no permissions to run the 'config|get' command");
    assertThat(AclWords.error(command, "u", newer))
        .isEqualTo("NOPERM User u has no permissions to run the 'config|get' command");
    assertThat(AclWords.error(key, "u", older))
        .isEqualTo(
            "NOPERM this user has no permissions to access one of the keys used as arguments");
    assertThat(AclWords.error(key, "u", newer)).isEqualTo("NOPERM No permissions to access a key");
    assertThat(AclWords.error(channel, "u", newer))
        .isEqualTo("NOPERM No permissions to access a channel");
    assertThat(AclWords.errorAtExec(key))
        .isEqualTo(
            "NOPERM ACLs rules changed between the moment the transaction was accumulated and the"
                + " EXEC call. This command is no longer allowed for the following reason: no"
                + " permission to touch the specified keys");
    assertThat(AclWords.error(new Denial(Reason.SORT_OPTION, "BY"), "u", newer))
        .isEqualTo("ERR BY option of SORT denied due to insufficient ACL permissions.");
  }
}
