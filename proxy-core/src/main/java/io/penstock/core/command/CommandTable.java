package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All commands that Penstock knows. Immutable, shared by all event loops. */
public final class CommandTable {

  private final NameTable names;
  private final List<CommandSpec> commands;
  private final Map<String, CommandSpec> byName;

  /**
   * A table of commands with their subcommands; ids go by the order given, a container before its
   * subcommands.
   *
   * @throws IllegalArgumentException when a command and its handling do not fit together
   */
  CommandTable(List<CommandFacts> facts, HandlingTable handlings) {
    Map<String, List<CommandFacts>> subcommands = new HashMap<>();
    for (CommandFacts command : facts) {
      if (command.isSubcommand()) {
        subcommands.computeIfAbsent(command.topLevelName(), _ -> new ArrayList<>()).add(command);
      }
    }
    List<CommandSpec> topLevel = new ArrayList<>();
    byName = new HashMap<>();
    for (CommandFacts command : facts) {
      if (!command.isSubcommand()) {
        List<CommandFacts> children = subcommands.getOrDefault(command.name(), List.of());
        topLevel.add(build(command, children, handlings));
      }
    }
    handlings.requireKnown(byName.keySet());
    commands = List.copyOf(topLevel);
    names = new NameTable(commands);
  }

  private CommandSpec build(
      CommandFacts command, List<CommandFacts> children, HandlingTable handlings) {
    int id = byName.size();
    List<CommandSpec> subcommands = new ArrayList<>(children.size());
    for (CommandFacts child : children) {
      int childId = id + 1 + subcommands.size();
      CommandSpec spec = new CommandSpec(childId, child, handlings.of(child, false), List.of());
      subcommands.add(spec);
      byName.put(child.name(), spec);
    }
    Handling handling = handlings.of(command, !children.isEmpty());
    CommandSpec spec = new CommandSpec(id, command, handling, subcommands);
    byName.put(command.name(), spec);
    return spec;
  }

  /**
   * The table that Penstock comes with, read once.
   *
   * @throws ExceptionInInitializerError when the resources contradict each other
   */
  public static CommandTable load() {
    return Builtin.TABLE;
  }

  private static final class Builtin {
    static final CommandTable TABLE = read();

    private static CommandTable read() {
      List<CommandFacts> facts = new ArrayList<>();
      for (String line : TableResource.lines("commands.table")) {
        facts.add(CommandFacts.parse(line));
      }
      return new CommandTable(facts, HandlingTable.parse(TableResource.lines("handling.table")));
    }
  }

  /**
   * The spec of a request's command, in any case: the subcommand's where the command is a container
   * that has it, the container's own where argument 1 is missing or unknown (see {@link
   * Command#isUnknownSubcommand}). Null when the command is unknown. Allocation-free.
   */
  public @Nullable CommandSpec find(RequestFrame frame) {
    CommandSpec spec = names.find(frame.buffer(), frame.offset(0), frame.length(0));
    if (spec == null || frame.argc() == 1) {
      return spec;
    }
    NameTable subcommands = spec.subcommandNames();
    if (subcommands == null) {
      return spec;
    }
    CommandSpec sub = subcommands.find(frame.buffer(), frame.offset(1), frame.length(1));
    return sub == null ? spec : sub;
  }

  /**
   * The spec of a command that must be known.
   *
   * @param name in any case, {@code config|get} for a subcommand
   * @throws IllegalArgumentException when the table does not have it
   */
  public CommandSpec byName(String name) {
    CommandSpec spec = lookUp(name);
    if (spec == null) {
      throw new IllegalArgumentException("no such command: " + name);
    }
    return spec;
  }

  @Nullable CommandSpec lookUp(String name) {
    return byName.get(name.toLowerCase(Locale.ROOT));
  }

  /** The commands, without subcommands, by name. */
  public List<CommandSpec> commands() {
    return commands;
  }

  /** How many ids there are: commands and subcommands. */
  public int size() {
    return byName.size();
  }
}
