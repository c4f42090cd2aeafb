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
 * {@code docs/reference/commands.md}, made of {@code commands.table} and {@code handling.table}.
 */
final class CommandsPage {

  static final Path FILE = Path.of("../docs/reference/commands.md");

  private static final Path TABLES = Path.of("src/main/resources/io/penstock/core/command");
  private static final Pattern REASON = Pattern.compile("ERR (?:.* this proxy: )?(.*)");
  private static final String INTRODUCTION =
      """
      # Commands

      Generated from [`commands.table`](../../proxy-core/src/main/resources/io/penstock/core/command/commands.table), which
      holds what servers say about their commands, and
      [`handling.table`](../../proxy-core/src/main/resources/io/penstock/core/command/handling.table), which holds what
      Penstock decides about them. Do not edit; `./mvnw -pl proxy-core -am test -Dtest=CommandsPageTest -Drewrite`
      writes it anew.

      `penstock.commands.allow` and `penstock.commands.deny` take the names below, in any case, and the ACL categories that
      servers give them; [configuration.md](configuration.md#commands) says which counts.

      ## Commands that are not in this table

      Modules' commands and those of newer servers are learnt from the nodes: each master and replica is asked `COMMAND` when
      it appears, when it has been started anew, and when its number of commands has changed, which is looked at each
      `penstock.topology.refresh-period`. Until then they are unknown commands.

      | A learnt command | is |
      |---|---|
      | has key specs, or a first key | sent to its keys' node |
      | has keys, but servers do not say where (`movablekeys` and no key spec) | refused in front of a cluster |
      | has no keys | answered by any one node, for one client always the same as long as it is connected to that |
      | has no keys and the request policy `all_shards` or `all_nodes` | sent to the master of every shard; replies are merged by the response policy `all_succeeded`, `one_succeeded`, `agg_sum`, `agg_min`, or put together without one. With another policy it is refused in front of a cluster |
      | may block, or is about Pub/Sub | refused |
      | acts on the connection (`@connection`) and has no keys | refused |
      | is `@dangerous` or flagged `admin` | refused unless `penstock.commands.allow` names it |
      | is a new subcommand of a container whose line in `handling.table` is `refused` or `local NAME` | handled as that line says |

      This table is never overridden, but for one thing: where a node says so a command takes other numbers of
      arguments, one that Penstock does more with than `forward` only if that is stricter. Where nodes differ about a command that was learnt, the newest server is believed. At most 4,096
      commands are learnt, with names of up to 128 characters. What was learnt stays known until Penstock ends; a node that
      does not have it says so itself. `COMMAND` lists learnt commands in lower case, with the ACL categories that servers
      have without modules.

      ## How commands are handled

      A command without anything else in the second column is sent to the node of its keys' slot. The rest, in the words of
      `handling.table`:

      ```
      {legend}
      ```

      ## All commands

      As servers know them: {sources}. Where the last column names some of these, the others do not have the command.

      | Command | Handling | Refused, why; or unless allowed, why | Servers |
      |---|---|---|---|
      """;

  private final HandlingTable handlings =
      HandlingTable.parse(TableResource.lines("handling.table"));

  /** The page as it should be. */
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

  /** The comment that {@code handling.table} begins with, from its list of handlings on. */
  private static String legend() {
    return comment("handling.table").stream()
        .dropWhile(line -> !line.startsWith("  "))
        .takeWhile(line -> !line.startsWith("ERROR is"))
        .collect(Collectors.joining("\n"))
        .stripTrailing();
  }

  private static String sources() {
    String before = "Every command that one of these sources has: ";
    return comment("commands.table").stream()
        .filter(line -> line.startsWith(before))
        .map(line -> line.substring(before.length()))
        .findFirst()
        .orElseThrow();
  }

  /** The comment that a table begins with. */
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
