package io.penstock.core.command;

import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.Prefixing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Generates {@code docs/reference/key-prefixes.md} from {@code handling.table}. */
final class KeyPrefixesPage {

  static final Path FILE = Path.of("../docs/reference/key-prefixes.md");

  private static final String INTRODUCTION =
      """
      # Key prefixes

      What becomes of the requests and replies of a user with a key prefix. The tables are generated from
      [`handling.table`](../../proxy-core/src/main/resources/io/penstock/core/command/handling.table); do not edit:
      `./mvnw -pl proxy-core -am test -Dtest=KeyPrefixesPageTest -Drewrite` regenerates the page.
      [Keys of one application in one slot](../how-to/put-keys-of-one-application-in-one-slot.md) shows what a prefix with a hash tag is for.

      The prefix is put in front of every key that the user names, in every database, and taken off every key in a reply. The user sees
      a server that has its own keys only. `KeyPrefixDifferentialIT` compares it with such a server, with generated calls in RESP2 and RESP3, in pipelines and in
      transactions. These are not the same:

      | What | Why |
      |---|---|
      | Requests whose keys no server could find (`XREAD STREAMS a`, `ZUNION x a`), and unknown options of `SCAN`, are answered with `-ERR syntax error`, also in `MULTI` | Keys are never guessed. A server may use other words, and queues such a request |
      | Commands that Penstock has learnt from nodes are rejected | Nobody has decided where their replies carry keys |
      | `SCAN` without a match may return many empty pages; `KEYS` and `SCAN` take as long as for all keys of the server | Servers look at all keys |
      | `SORT` with `BY` or `GET` patterns is rejected if the prefix contains `*` | Servers replace the first asterisk |
      | `INFO` has no section `keyspace`, and the figures of the others are of the whole server | Its counts are of all keys |
      | `MEMORY USAGE` includes the bytes of the prefix | Servers store it |
      | Scripts see keys with the prefix: in `KEYS`, and in whatever they return | They run at the server. They are rejected unless `key-prefix-scripts` is `true`, since they can name any key. With it, the user may also list, replace and delete the functions and scripts of all |
      | `COMMAND GETKEYS` and `CLUSTER KEYSLOT` are about keys as the user names them | They are answered without looking at data |

      Clients are no keys: `CLIENT LIST`, `CLIENT KILL` and `CLIENT PAUSE` concern the clients of all users. Rules such as `-@admin` or `-@dangerous` keep a tenant from them.

      What is rejected gets `-NOPERM … is not permitted to users with a key prefix: …`.

      ## Channels

      Users with and without prefixes share all channels, unless `key-prefix-channels` is `true`. Subscribing to channels that begin with `__`, and to patterns that
      may match such, is rejected: servers tell of all keys there (keyspace notifications). With `key-prefix-channels`, each channel and pattern gets the prefix too, and messages, confirmations and `PUBSUB`
      show names without it. Keyspace notifications are then never received, and `PUBSUB NUMPAT` is rejected.

      ## Requests that change

      The prefix is put in front of each key, by the key specifications of the command. These commands differ, or have no keys:

      | Command | What is changed |
      |---|---|
      """;

  private KeyPrefixesPage() {}

  /** Returns the expected page. */
  static String text() {
    var page = new StringBuilder(INTRODUCTION);
    for (CommandSpec spec : specs()) {
      String change = change(spec);
      if (!change.isEmpty()) {
        page.append("| `%s` | %s |\n".formatted(spec.name(), change));
      }
    }
    page.append("\n## Replies that carry keys or channels\n\n| Command | Where |\n|---|---|\n");
    for (CommandSpec spec : specs()) {
      String where = where(spec.replyKeys());
      if (!where.isEmpty()) {
        page.append("| `%s` | %s |\n".formatted(spec.name(), where));
      }
    }
    page.append(
        """

        Errors quote keys too (`-NOGROUP No such key 'k' …`): the prefix is taken off them.

        ## Rejected

        What would see or change what belongs to others, or is about whole servers:

        """);
    page.append(names(Prefixing.REFUSED)).append("\n## Unchanged\n\n");
    page.append("No keys, and nothing that belongs to anybody else:\n\n");
    return page.append(names(Prefixing.UNCHANGED)).toString();
  }

  private static List<CommandSpec> specs() {
    return CommandTable.load().specs().stream()
        .filter(spec -> !spec.isContainer() || spec.has(CommandFlag.LOADING))
        .sorted((one, other) -> one.name().compareTo(other.name()))
        .toList();
  }

  private static String names(Prefixing which) {
    List<String> names = new ArrayList<>();
    for (CommandSpec spec : specs()) {
      if (spec.prefixing() == which && !(spec.handling() instanceof Handling.Rejected)) {
        names.add("`" + spec.name() + "`");
      }
    }
    return String.join(", ", names) + "\n";
  }

  private static String change(CommandSpec spec) {
    return switch (spec.prefixing()) {
      case SORT -> "the patterns of `BY` and `GET` get the prefix too";
      case PATTERN -> "the pattern gets the prefix";
      case SCAN -> "the pattern of `MATCH` gets the prefix; without one, such a pattern is added";
      case COUNT ->
          "rejected; with `key-prefix-dbsize`, the keys with the prefix are counted, by `KEYS`";
      case INFO -> "without the section `keyspace`";
      case SCRIPT ->
          spec.hasKeys()
              ? "rejected; with `key-prefix-scripts`, the keys get the prefix"
              : "rejected; with `key-prefix-scripts`, it is permitted, and concerns all users";
      case CHANNEL, CHANNELS -> "with `key-prefix-channels`, channels get the prefix";
      case CHANNEL_PATTERNS -> "with `key-prefix-channels`, patterns get the prefix";
      case CHANNEL_LIST ->
          "with `key-prefix-channels`, the pattern gets the prefix, or such a one is added";
      case CHANNEL_COUNTS -> "with `key-prefix-channels`, channels get the prefix";
      case ALL_CHANNELS -> "with `key-prefix-channels`, rejected";
      case KEYS, UNCHANGED, REFUSED -> "";
    };
  }

  private static String where(Prefixing.Reply where) {
    return switch (where) {
      case NOWHERE -> "";
      case EACH -> "each element";
      case SECOND -> "each element of the second element";
      case FIRST -> "the first element";
      case STREAMS -> "the first of each element; with RESP3 the keys of the map";
      case COUNTS -> "the first, third, fifth … element";
    };
  }

  /** Returns the commands without keys that no line decides about. */
  static Set<String> undecided() {
    HandlingTable handlings = HandlingTable.parse(TableResource.lines("handling.table"));
    Set<String> undecided = new TreeSet<>();
    for (CommandSpec spec : CommandTable.load().specs()) {
      if (!spec.isContainer() && !spec.hasKeys() && !handlings.saysPrefixing(spec.facts())) {
        undecided.add(spec.name());
      }
    }
    return undecided;
  }
}
