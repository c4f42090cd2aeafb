package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Generates {@code docs/reference/commands.md} from {@code commands.table} and {@code
 * handling.table}.
 */
final class CommandsPage {

  static final Path FILE = Path.of("../docs/reference/commands.md");

  private static final Path TABLES = Path.of("src/main/resources/io/penstock/core/command");
  private static final Pattern REASON = Pattern.compile("ERR (?:.* this proxy: )?(.*)");
  private static final String INTRODUCTION =
      """
      # Commands

      Generated from [`commands.table`](../../proxy-core/src/main/resources/io/penstock/core/command/commands.table), which
      has what servers report about their commands, and
      [`handling.table`](../../proxy-core/src/main/resources/io/penstock/core/command/handling.table), which has what
      Penstock decides about them. Do not edit; `./mvnw -pl proxy-core -am test -Dtest=CommandsPageTest -Drewrite`
      regenerates it.

      `penstock.commands.allow` and `penstock.commands.deny` take the names below, in any case, and ACL categories;
      [configuration.md](configuration.md#commands) says which entry applies.

      ## Commands that are not in this table

      Commands of modules and of newer servers are learnt from the nodes. Penstock sends `COMMAND` to each master and replica when
      the node appears, after it has restarted, and when its number of commands has changed. It checks for restarts and changes once
      per `penstock.topology.refresh-period`. Until they are learnt, such commands are unknown commands. A
      replica may serve a learnt command that is `readonly` and has keys.

      | A learnt command that | is |
      |---|---|
      | has key specs, or a first key | sent to its keys' node |
      | has keys, but servers do not report where (`movablekeys` and no key spec) | rejected in front of a cluster |
      | has no keys | sent to any node; for one client always to the same node while that is connected |
      | has no keys and the request policy `all_shards` or `all_nodes` | sent to the master of every shard; replies are merged by the response policy `all_succeeded`, `one_succeeded`, `agg_sum`, `agg_min`, or concatenated without one. With another policy it is rejected in front of a cluster |
      | may block, or is about Pub/Sub | rejected |
      | acts on the connection (`@connection`) and has no keys | rejected |
      | is `@dangerous` or flagged `admin` | rejected unless `penstock.commands.allow` names it |
      | is a new subcommand of a container whose line in `handling.table` is `refused` or `local NAME` | handled as that line says |

      Nodes never override the table below, except for the arity: if a node reports another one, it applies. For a command that
      Penstock does more with than `forward`, it applies only if it is stricter. Where nodes differ about a learnt command, the newest
      server's description applies. At most 4,096 commands are learnt, with names of up to 128 characters. A learnt command stays known
      until Penstock stops; a node that lacks it answers with an error. `COMMAND` lists learnt commands with the ACL categories
      that servers have without modules.

      ## Commands that the nodes lack

      The table below has the commands of several versions. Once every node has told its commands, those that no node has are
      unknown commands, also in `MULTI`, and `COMMAND` does not list them. As soon as a node has one, for example after an
      upgrade, it is known. The following apply too:

      - If nodes are of different versions, all commands of all nodes are known. A node that lacks one answers with its own
        error, so use a newer version's commands only when all nodes have that version.
      - While a node has not answered, or if Penstock's user may not run `COMMAND` on it, the node may have any command: the
        whole table is known. The same applies in the moment after Penstock's start.
      - If all nodes disappear from the topology, nothing changes until nodes are found again.
      - With several upstreams, each has the commands of its own nodes. The nodes of all shards of one upstream count together.
      - The same applies to what Penstock answers itself, for example `CLIENT NO-TOUCH` in front of Redis 7.0. `CLIENT SETINFO` is
        known with any server: clients tell by it what they are. `COMMAND DOCS` is one node's answer.

      ## How commands are handled

      A command with an empty second column is sent to the node of its keys' slot. The other handlings are, in the words of
      `handling.table`:

      ```
      {legend}
      ```

      ## All commands

      The commands of these servers: {sources}. If the last column names some of them, the others lack the command.

      | Command | Handling | Why it is rejected, or rejected unless allowed | Servers |
      |---|---|---|---|
      """;

  private final HandlingTable handlings =
      HandlingTable.parse(TableResource.lines("handling.table"));

  /** Returns the expected page. */
  static String text() {
    return new CommandsPage().write();
  }

  private String write() {
    List<String> lines = TableResource.lines("commands.table");
    Map<String, Integer> containers = new HashMap<>();
    for (String line : lines) {
      CommandFacts command = CommandFacts.parse(line);
      if (command.isSubcommand()) {
        containers.merge(command.topLevelName(), 1, Integer::sum);
      }
    }
    StringBuilder page =
        new StringBuilder(
            INTRODUCTION.replace("{legend}", legend()).replace("{sources}", sources()));
    for (String line : lines) {
      CommandFacts command = CommandFacts.parse(line);
      if (!containers.containsKey(command.name())) {
        page.append(row(command, servers(line)));
      }
    }
    return page.toString();
  }

  private String row(CommandFacts command, String servers) {
    List<String> words = new ArrayList<>(handlings.words(command));
    String reason = "";
    if (!words.isEmpty() && words.getFirst().startsWith("refused")) {
      String error = handlings.error(words.remove(1), command);
      reason = reason(error);
    }
    String denial = handlings.denialError(command);
    if (denial != null && reason.isEmpty()) {
      reason = "unless allowed: " + reason(denial);
    }
    String handling = words.isEmpty() || words.equals(List.of("forward")) ? "" : code(words);
    return "| `%s` | %s | %s | %s |\n"
        .formatted(command.name().replace("|", "\\|"), handling, reason, servers);
  }

  private static String code(List<String> words) {
    return "`" + String.join(" ", words) + "`";
  }

  private static String reason(String error) {
    Matcher parts = REASON.matcher(error);
    return parts.matches() ? parts.group(1) : error;
  }

  private static String servers(String line) {
    Matcher in = Pattern.compile(" in=(\\S+)").matcher(line);
    return in.find() ? in.group(1).replace(",", ", ") : "";
  }

  /** Returns the header comment of {@code handling.table}, from its list of handlings on. */
  private static String legend() {
    return comment("handling.table").stream()
        .dropWhile(line -> !line.startsWith("  "))
        .takeWhile(line -> !line.startsWith("ERROR is"))
        .collect(Collectors.joining("\n"))
        .stripTrailing();
  }

  private static String sources() {
    String before = "All commands of these sources: ";
    return comment("commands.table").stream()
        .filter(line -> line.startsWith(before))
        .map(line -> line.substring(before.length()))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the header comment of a table. */
  private static List<String> comment(String table) {
    try {
      return Files.readAllLines(TABLES.resolve(table), StandardCharsets.UTF_8).stream()
          .takeWhile(line -> line.startsWith("#"))
          .map(line -> line.replaceFirst("^# ?", ""))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
