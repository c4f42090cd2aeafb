package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.Command;
import io.penstock.core.command.Requests;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Trait;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Compares verdicts with those of {@code ACL DRYRUN} on a real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PermissionsIT {

  private static final List<String> USERS =
      List.of(
          "+@all ~* &*",
          "-@all",
          "+@all",
          "+@all ~a:* &a:*",
          "+@all %R~a:* %W~b:*",
          "+@all %W~a:* %R~b:*",
          "+@all %R~* %W~a:*",
          "+@all %R~* &*",
          "+@all ~* resetchannels",
          "+@all ~* -@dangerous -@admin",
          "+@all ~* -get -config|get -client",
          "+@read ~*",
          "+@write -@keyspace ~a:*",
          "+@slow ~*",
          "+@connection +@pubsub &a:?",
          "+get +set +config|get +select|1 +object|encoding ~a:*",
          "+select|0 +get|a:1 +publish|a:1 ~* &*",
          "+select|0 -@connection ~*",
          "-@all +@read -@hash +hget ~a:* ~x",
          "+@all -@all +ping",
          "+@all ~a* ~[xy] ~k?2",
          "+get ~a:* (+set ~b:*) (+@read ~b:*)",
          "-@all (~a:* +@all) (~b:* +@all) (%R~x +@all &*)",
          "+@all ~a:* (%R~* +copy +sort +get) (%W~b:* +copy)",
          "+@scripting ~a:*",
          "+@all ~a:* &a:*  (+@all ~b:* &b:*)");

  private static final List<String> WORDS =
      List.of(
          "a:1",
          "a:2",
          "a:1",
          "b:1",
          "b:2",
          "x",
          "y",
          "",
          "k12",
          "0",
          "1",
          "1",
          "2",
          "3",
          "-1",
          "STORE",
          "storedist",
          "STREAMS",
          "streams",
          "KEYS",
          "BY",
          "get",
          "GET",
          "LIMIT",
          "COUNT",
          "GROUP",
          "BLOCK",
          "OVERFLOW",
          "set",
          "u8",
          "REPLACE",
          "WEIGHTS",
          "LEFT",
          "XX",
          "a:*");

  /**
   * Calls of commands with options that name keys, or say what is done to them. Random ones would
   * mostly be malformed.
   */
  private static final String SHAPES =
      """
      SORT a:1
      SORT x STORE b:1
      SORT a:1 BY w_*
      SORT a:1 BY nosort
      SORT a:1 GET #
      SORT_RO a:1 DESC get o_*
      SORT a:1 STORE b:1
      SORT b:1 store a:1
      SORT a:1 BY w_* GET # LIMIT 0 5 STORE a:2
      SORT a:1 STORE b:1 STORE x
      SORT a:1 STORE␀ b:1
      SORT a:1 sTORE␀x b:1
      SORT a:1 BY␀ w_*
      GEORADIUS a:1 1 2 3 km STORE␀ b:1
      XREAD STREAMS␀ b:1 0
      MIGRATE h 1 "" 0 10 KEYS␀ b:1
      SET a:1 v GET␀
      SORT_RO a:1
      SORT_RO x BY w_*
      GEORADIUS a:1 1 2 3 km
      GEORADIUS a:1 1 2 3 km STORE b:1
      GEORADIUS b:1 1 2 3 km STOREDIST a:1
      GEORADIUSBYMEMBER a:1 m 3 km STORE x
      GEORADIUSBYMEMBER x m 3 km storedist a:1
      XREAD STREAMS a:1 0
      XREAD COUNT 1 STREAMS a:1 b:1 0 0
      XREAD BLOCK 1 streams a:1 a:2 x 0 0 0
      XREADGROUP GROUP g c STREAMS a:1 >
      XREADGROUP GROUP STREAMS c NOACK STREAMS a:1 b:1 > >
      MIGRATE h 1 a:1 0 10
      MIGRATE h 1 x 0 10 COPY
      MIGRATE h 1 "" 0 10 KEYS a:1
      MIGRATE h 1 "" 0 10 AUTH p KEYS a:1 b:1
      MIGRATE h 1 "" 0 10 AUTH KEYS KEYS b:1
      SET a:1 v
      SET a:1 get
      SET a:1 v GET
      SET b:1 v EX 10 get
      SET b:1 v NX
      BITFIELD a:1
      BITFIELD a:1 GET u8 0
      BITFIELD a:1 GET u8
      BITFIELD a:1 OVERFLOW WRAP GET u8 0
      BITFIELD b:1 SET u8 0 1
      BITFIELD b:1 GET u8 0 INCRBY u8 0 1
      PFMERGE a:1 b:1
      PFMERGE b:1 a:1 x
      EVAL s 0 a:1
      EVAL s 1 a:1 b:1
      EVAL_RO s 2 a:1 b:1
      FCALL f 2 a:1 x
      ZUNIONSTORE a:1 2 a:2 b:1
      ZUNIONSTORE b:1 0 a:1
      ZINTERSTORE b:1 1 a:1
      ZMPOP 2 a:1 b:1 MIN
      OBJECT ENCODING x
      MEMORY USAGE a:1
      SELECT 0
      SELECT 1
      GET a:1
      PUBLISH a:1 m
      PUBLISH b:1 m
      SPUBLISH a:1 m
      SUBSCRIBE a:1 a:2 b:1
      SSUBSCRIBE a:1 b:1
      PSUBSCRIBE a:*
      PSUBSCRIBE a:1*
      PSUBSCRIBE a:? b:*
      UNSUBSCRIBE x
      """;

  private static final int CALLS = 40;

  private AclServer server;
  private final List<AclUser> users = new ArrayList<>();

  @BeforeAll
  void start() throws AclRuleException {
    server = AclServer.start(ServerProcess.builder().option("enable-debug-command", "yes"));
    for (int i = 0; i < USERS.size(); i++) {
      List<String> rules = new ArrayList<>(List.of("on", "nopass"));
      rules.addAll(Arrays.asList(USERS.get(i).split(" +", -1)));
      users.add(AclRules.change(AclUser.created("u" + i), rules, server.table()));
      assertThat(server.setUser("u" + i, rules)).isEmpty();
    }
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void verdictsAreThoseOfTheServer() {
    Random random = Splits.random();
    List<List<String>> calls = new ArrayList<>();
    for (CommandSpec spec : server.table().specs()) {
      if (isServers(spec) && !spec.isContainer() && !hasOptions(spec)) {
        for (int i = 0; i < CALLS; i++) {
          calls.add(call(spec, random));
        }
      }
    }
    users.forEach(user -> compare(user, calls));
  }

  @Test
  void verdictsAboutOptionsAreThoseOfTheServer() {
    List<List<String>> calls =
        SHAPES.lines().map(PermissionsIT::words).map(Arrays::asList).toList();
    users.forEach(user -> compare(user, calls));
  }

  @Test
  void deniedCallsGetTheErrorsOfTheServer() {
    int denied = 0;
    for (AclUser user : users) {
      Permissions permissions = Permissions.of(user, server.table());
      try (RespClient client = server.process().connect()) {
        assertThat(client.call("AUTH", user.name(), "any")).isEqualTo("+OK\r\n");
        for (String shape : SHAPES.lines().toList()) {
          String[] call = words(shape);
          Denial denial = permissions.denial(command(call));
          if (denial != null) {
            assertThat("-" + AclWords.error(denial, user.name(), server.facts()) + "\r\n")
                .as("%s: %s", USERS.get(users.indexOf(user)), shape)
                .isEqualTo(client.call(call));
            denied++;
          }
        }
      }
    }
    assertThat(denied).isGreaterThan(500);
  }

  /** Returns the arguments of a shape, in which {@code ␀} stands for a NUL. */
  private static String[] words(String shape) {
    return Requests.words(shape.replace('\u2400', '\0'));
  }

  /** On servers, nobody needs permission for its only key. */
  @Test
  void theFirstKeyOfPfmergeNeedsPermission() {
    Permissions permissions = Permissions.of(users.get(3), server.table());

    assertThat(denial(permissions, List.of("PFMERGE", "a:1"))).isNull();
    assertThat(denial(permissions, List.of("PFMERGE", "x")))
        .isEqualTo(new Denial(Denial.Reason.KEY, "x"));
  }

  private boolean isServers(CommandSpec spec) {
    return server.table().knows(spec.name())
        && (!spec.has(Trait.ALWAYS_KNOWN) || server.facts().isRedis(7, 2));
  }

  private static boolean hasOptions(CommandSpec spec) {
    return (spec.hasKeyProcedure() && spec.hasKeys()) || spec.name().equals("pfmerge");
  }

  private static List<String> call(CommandSpec spec, Random random) {
    List<String> call = new ArrayList<>(Arrays.asList(spec.name().split("\\|", -1)));
    int extra = random.nextInt(4) == 0 ? random.nextInt(7) : 0;
    int words = Math.abs(spec.arity()) + (spec.arity() < 0 ? extra : 0);
    while (call.size() < words) {
      call.add(WORDS.get(random.nextInt(WORDS.size())));
    }
    return call;
  }

  private void compare(AclUser user, List<List<String>> calls) {
    Permissions permissions = Permissions.of(user, server.table());
    List<List<String>> requests = new ArrayList<>();
    for (List<String> call : calls) {
      List<String> request = new ArrayList<>(List.of("ACL", "DRYRUN", user.name()));
      request.addAll(call);
      requests.add(request);
    }
    List<String> replies = server.calls(requests);
    SoftAssertions softly = new SoftAssertions();
    for (int i = 0; i < calls.size(); i++) {
      Denial denial = denial(permissions, calls.get(i));
      String ours =
          denial == null ? "+OK\r\n" : bulk(AclWords.dryRun(denial, user.name(), server.facts()));
      softly
          .assertThat(ours)
          .as("%s: %s", USERS.get(users.indexOf(user)), calls.get(i))
          .isEqualTo(replies.get(i));
    }
    softly.assertAll();
  }

  private static String bulk(String text) {
    return "$" + text.length() + "\r\n" + text + "\r\n";
  }

  private @Nullable Denial denial(Permissions permissions, List<String> call) {
    return permissions.denialByRules(command(call.toArray(String[]::new)));
  }

  private Command command(String... call) {
    var command = new Command(server.table(), Requests.frame(call));
    command.resolve();
    return command;
  }
}
