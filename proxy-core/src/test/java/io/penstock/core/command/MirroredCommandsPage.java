package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.Mirrored;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Generates {@code docs/reference/mirrored-commands.md} from {@code commands.table} and {@code
 * handling.table}.
 */
final class MirroredCommandsPage {

  static final Path FILE = Path.of("../docs/reference/mirrored-commands.md");

  private static final String INTRODUCTION =
      """
      # Mirrored commands

      What the [copies](copies.md) of an upstream get for each command, after its primary has run it. Generated from
      [`handling.table`](../../proxy-core/src/main/resources/io/penstock/core/command/handling.table); do not edit:
      `./mvnw -pl proxy-core -am test -Dtest=MirroredCommandsPageTest -Drewrite` regenerates it.

      The primary runs each call first. Its reply says what happened. A call that failed or changed nothing (`SET … NX` of a key that
      is there, `LPOP` of an empty list, any error) is not copied. A call that does the same on the same data is copied as it is. For
      any other the copies get what the primary did. [Decision 52](../adr/0052-copy-what-the-primary-did.md) has the reasons.

      ## What is exact

      If a copy holds the same as the primary, it holds the same after each effect: values, deadlines to the millisecond, ids, groups
      with their pending entries, delivery counts and consumers. `MirroredWritesIT` proves it for every command below, with Redis 7.0 to 8.6 and
      Valkey 8.1 and 9.1. These are not the same:

      | What | Why |
      |---|---|
      | What expires or is evicted | Each server does that itself. A key expires at the primary and at a copy at the same time if their clocks agree. A call that finds it expired at one and not yet at the other gives different data. Eviction (`maxmemory`) is not copied |
      | Idle times: of keys (`OBJECT IDLETIME`, `FREQ`), of consumers and their entries (`XPENDING`) | They count from when the copy got the call |
      | Keys that a script or function writes and does not declare | Penstock cannot see them. Declare all keys, as Redis requires |
      | `SORT … BY … ALPHA STORE` of a set whose weights are equal; `GEOSEARCHSTORE … ANY` | Servers do not define the order. They replicate these calls as they are, too |
      | `HINCRBYFLOAT` where fields have deadlines and `HSETEX` is unknown (Redis 7.4) | The field loses its deadline at the copy |
      | How vector sets are linked | Each server links new elements at random. Elements, vectors and attributes are the same |
      | How data are encoded | That is each server's own business |

      ## What the primary is asked

      Some replies do not say what happened: `SET k v EX 10` is `OK`. Then Penstock sends a question directly behind the call, over the same
      connection, where no other write to the key can come between. A key that has expired by then is deleted at the copies. The client's reply is the call's own.
      In a client's transaction nothing is asked: the keys of such a transaction are copied again whole.

      | Calls | Question |
      |---|---|
      | With a duration: `SET … EX`, `PX`; `SETEX`, `PSETEX`, `MSETEX`, `GETEX`, `EXPIRE`, `PEXPIRE`, `RESTORE` | `PEXPIRETIME` of the key |
      | With a duration of fields: `HEXPIRE`, `HPEXPIRE`, `HGETEX`, `HSETEX` | `HPEXPIRETIME` of the fields |
      | `XADD` and `XTRIM` with `~` | `XLEN`: what is trimmed depends on how the server stores the stream |
      | `XCLAIM` | `XPENDING` of each id: those of deleted entries leave the group |
      | Scripts and functions with up to 64 keys | `DUMP` and `PEXPIRETIME` of each |

      ## Scripts

      What `EVAL`, `EVALSHA` and `FCALL` do depends on data, time and chance, and Penstock sees only their keys and their reply. So their declared
      keys are copied again whole, after each call and whatever the reply is. With large keys this is expensive. A call without keys is
      rejected, unless it is the read-only form (`EVAL_RO`, `EVALSHA_RO`, `FCALL_RO`), of which nothing is copied. A transaction with such a call has all keys of its writes copied again.

      ## Commands that write

      "The call" is the request as the client sent it. "Keys again" is the keys of the call, copied whole.

      | Command | Copies get | Unless |
      |---|---|---|
      """;

  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("cluster|flushslot", "it deletes keys that it does not name"),
          Map.entry("debug", "it may change anything"),
          Map.entry("migrate", "it moves keys to another server"),
          Map.entry("module|load", "it changes one server"),
          Map.entry("module|loadex", "it changes one server"),
          Map.entry("module|unload", "it changes one server"),
          Map.entry("pfdebug", "it changes how a value is stored"),
          Map.entry("restore-asking", "it is for servers that move slots"),
          Map.entry("trimslots", "it is for servers that move slots"),
          Map.entry("failover", "it is about one server"),
          Map.entry("monitor", "it is about one server"),
          Map.entry("replicaof", "it is about one server"),
          Map.entry("slaveof", "it is about one server"),
          Map.entry("shutdown", "it is about one server"),
          Map.entry("psync", "it is for replicas"),
          Map.entry("replconf", "it is for replicas"),
          Map.entry("sync", "it is for replicas"));

  private final HandlingTable handlings =
      HandlingTable.parse(TableResource.lines("handling.table"));

  /** Returns the expected page. */
  static String text() {
    return new MirroredCommandsPage().write();
  }

  private String write() {
    var page = new StringBuilder(INTRODUCTION);
    Map<String, List<String>> others = new TreeMap<>();
    for (CommandFacts command : commands()) {
      Mirrored mirrored = handlings.traitsOf(command).mirrored();
      if (mirrored == Mirrored.NOTHING || mirrored == Mirrored.DATABASE) {
        others.computeIfAbsent(command.topLevelName(), _ -> new ArrayList<>()).add(command.name());
      } else if (mirrored != null && mirrored != Mirrored.REFUSED) {
        page.append(row(command, mirrored));
      }
    }
    return page.append(rejected()).append(notCopied(others)).toString();
  }

  /** Returns the commands without containers, as the page lists them. */
  private static List<CommandFacts> commands() {
    List<CommandFacts> commands = new ArrayList<>();
    Set<String> containers = new HashSet<>();
    for (String line : TableResource.lines("commands.table")) {
      CommandFacts command = CommandFacts.parse(line);
      if (command.isSubcommand()) {
        containers.add(command.topLevelName());
      }
      commands.add(command);
    }
    commands.removeIf(command -> containers.contains(command.name()));
    return commands;
  }

  private static String row(CommandFacts command, Mirrored mirrored) {
    return "| `%s` | %s | %s |\n"
        .formatted(shown(command.name()), copies(mirrored), unless(mirrored));
  }

  private static String shown(String name) {
    return name.replace("|", "\\|");
  }

  private String rejected() {
    var section =
        new StringBuilder(
            """

            ## Commands that are rejected

            Before they are sent, with `-ERR … is not supported by an upstream with copies`. So is each command that is not in the table and not
            `readonly`: one of a module, for example. Most of these are rejected by any upstream.

            | Command | Why |
            |---|---|
            """);
    for (CommandFacts command : commands()) {
      if (handlings.traitsOf(command).mirrored() == Mirrored.REFUSED) {
        @Nullable String reason = REFUSED.get(command.name());
        if (reason == null) {
          throw new IllegalStateException("say why " + command.name() + " is refused");
        }
        section.append("| `%s` | %s |\n".formatted(shown(command.name()), reason));
      }
    }
    return section.toString();
  }

  private static String notCopied(Map<String, List<String>> others) {
    var section =
        new StringBuilder(
            """

            ## Commands of which nothing is copied

            All that are `readonly`, but for `PFCOUNT`, which stores what it has counted. And these, which write no data. `PUBLISH` and `SPUBLISH` are among
            them: messages reach the subscribers at the primary, where those of Penstock are. So is `SELECT`: each effect is for the database of its client; within a transaction it is
            copied with the writes around it.

            """);
    List<String> names = new ArrayList<>();
    others.forEach(
        (name, all) -> names.add("`" + (all.size() > 1 ? name + "|…" : all.getFirst()) + "`"));
    return section.append(String.join(", ", names)).append(".\n").toString();
  }

  private static String copies(Mirrored mirrored) {
    return switch (mirrored) {
      case NOTHING, DATABASE, REFUSED -> throw new IllegalArgumentException(mirrored.name());
      case AS_IS, AS_IS_IF_POSITIVE, AS_IS_UNLESS_NULL, AS_IS_IF_STORED -> "the call";
      case SET ->
          "`SET key value`, without `NX`, `XX`, `IFEQ` and `GET`, with `PXAT` for a duration. Keys again after `GET` with `IFNE`, `IFDEQ` or `IFDNE`";
      case SET_FOR -> "`SET key value PXAT …`";
      case SET_ALL_FOR -> "`MSETEX` without `NX` and `XX`, with `PXAT` for a duration";
      case SET_RESULT -> "`SET key result KEEPTTL`";
      case SET_FIELD_RESULT ->
          "`HSETEX key KEEPTTL FIELDS 1 field result`; `HSET` where servers do not know `HSETEX`";
      case DELETE -> "`DEL key`";
      case DEADLINE -> "`PEXPIREAT key …`, `PERSIST key` or `DEL key`: what came out";
      case RESTORE -> "`RESTORE key … ABSTTL REPLACE` for a duration; the call without one";
      case FIELD_DEADLINE -> "`HPEXPIREAT` and `HDEL` of the fields that were changed";
      case READ_FIELD_DEADLINE ->
          "`HPEXPIREAT`, `HPERSIST` or `HDEL` of the fields that were there";
      case SET_FIELDS_FOR -> "`HSETEX` without `FNX` and `FXX`, with `PXAT` for a duration";
      case REMOVE_MEMBERS -> "`SREM` of the members that came out";
      case POP_FIRST -> "`LPOP key 1` of the key that had an element";
      case POP_LAST -> "`RPOP key 1` of the key that had an element";
      case POP_ELEMENTS -> "`LPOP key n` or `RPOP key n` of the key that had elements";
      case REMOVE_SCORED, REMOVE_ALL_SCORED -> "`ZREM` of the members that came out";
      case MOVE_ELEMENT -> "`LMOVE` with the same arguments";
      case MOVE_LAST_ELEMENT -> "`RPOPLPUSH` with the same arguments";
      case ADD_ENTRY ->
          "`XADD` with the id that it made; `MAXLEN = length` for `~`. Keys again with `IDMP`, `IDMPAUTO`, or `~` and `ACKED`";
      case TRIM_ENTRIES ->
          "the call; with `~`, `XTRIM key MAXLEN = length`. Keys again with `~` and `ACKED`";
      case CLAIM ->
          "`XCLAIM … 0` of the ids that were claimed, `XACK` of those that are not in the group";
      case CLAIM_IDLE ->
          "`XCLAIM … 0` of the ids that were claimed, `XACK` of those whose entries are gone";
      case READ_GROUP ->
          "`XREADGROUP … COUNT n` for each stream that it read, `XCLAIM` of what it claimed; if there was nothing, a request that creates the consumer if the primary did";
      case SCRIPT -> "keys again, also after an error";
    };
  }

  private static String unless(Mirrored mirrored) {
    return switch (mirrored) {
      case AS_IS_IF_POSITIVE, TRIM_ENTRIES, SET_ALL_FOR, SET_FIELDS_FOR ->
          "the reply is not above 0";
      case AS_IS_UNLESS_NULL,
          POP_FIRST,
          POP_LAST,
          POP_ELEMENTS,
          REMOVE_SCORED,
          REMOVE_ALL_SCORED,
          MOVE_ELEMENT,
          MOVE_LAST_ELEMENT,
          ADD_ENTRY ->
          "the reply is null";
      case AS_IS_IF_STORED -> "it stores nothing";
      case DELETE, DEADLINE -> "the reply is null or 0";
      case READ_FIELD_DEADLINE -> "it has no option";
      case SET -> "the condition did not hold";
      default -> "";
    };
  }

  /** Returns the commands that may write and for which no line says what copies get. */
  static List<String> undecided() {
    HandlingTable handlings = HandlingTable.parse(TableResource.lines("handling.table"));
    return commands().stream()
        .filter(command -> !command.flags().contains(CommandFlag.READONLY))
        .filter(command -> handlings.traitsOf(command).mirrored() == null)
        .map(CommandFacts::name)
        .toList();
  }
}
