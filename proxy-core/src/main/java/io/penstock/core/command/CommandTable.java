package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All commands that Penstock knows. Immutable, shared by all event loops. */
public final class CommandTable {

  /** Most commands and subcommands that are learnt from nodes, in addition to the built-in ones. */
  static final int MAX_LEARNT = 4_096;

  private final NameTable names;
  private final List<CommandSpec> commands;
  private final Map<String, CommandSpec> byName;
  private final HandlingDecisions decisions;
  private final CommandIds ids; // shared by all tables that are derived from one

  /**
   * Creates a table of commands with their subcommands and handlings.
   *
   * @throws IllegalArgumentException if a handling does not fit its command
   */
  CommandTable(List<CommandFacts> facts, HandlingDecisions decisions) {
    this(
        new CommandTableBuilder(decisions).addBuiltIn(facts),
        decisions,
        new CommandIds(facts.size()));
  }

  private CommandTable(CommandTableBuilder assembly, HandlingDecisions decisions, CommandIds ids) {
    byName = assembly.byName();
    List<CommandSpec> topLevel = new ArrayList<>(byName.values());
    topLevel.removeIf(spec -> spec.facts().isSubcommand());
    topLevel.sort(Comparator.comparing(CommandSpec::name));
    commands = List.copyOf(topLevel);
    names = new NameTable(commands);
    this.decisions = decisions;
    this.ids = ids;
  }

  /**
   * Returns the built-in table, without rules of the configuration.
   *
   * @throws ExceptionInInitializerError if the resources contradict each other
   */
  public static CommandTable load() {
    return Builtin.TABLE;
  }

  /** Returns the built-in table with these rules applied. */
  public static CommandTable load(CommandRules rules) {
    return new CommandTable(Builtin.FACTS, new HandlingDecisions(Builtin.HANDLINGS, rules));
  }

  /**
   * Returns the built-in table with other rules applied. What is learnt into it gets the same ids
   * as in this one.
   */
  public CommandTable withRules(CommandRules rules) {
    var others = new HandlingDecisions(Builtin.HANDLINGS, rules);
    return new CommandTable(new CommandTableBuilder(others).addBuiltIn(Builtin.FACTS), others, ids);
  }

  /** Returns the rules that are applied. */
  public CommandRules rules() {
    return decisions.rules();
  }

  private static final class Builtin {
    static final List<CommandFacts> FACTS = facts();
    static final HandlingTable HANDLINGS =
        HandlingTable.parse(TableResource.lines("handling.table"));
    static final CommandTable TABLE = load(CommandRules.NONE);

    private static List<CommandFacts> facts() {
      List<CommandFacts> facts = new ArrayList<>();
      for (String line : TableResource.lines("commands.table")) {
        facts.add(CommandFacts.parse(line));
      }
      return List.copyOf(facts);
    }
  }

  /**
   * Returns this table extended by learnt commands. Ids do not change; new commands get the next
   * ones. A command keeps its spec if its facts have not changed. A learnt command is never
   * removed: a node that lacks it answers with an error.
   *
   * @param learnt if nodes differ about a command, the last one applies
   * @param divided whether there are several partitions, so that commands are routed by their keys
   */
  public CommandTable withLearnt(Collection<LearntCommands> learnt, boolean divided) {
    CommandTableBuilder assembly = new CommandTableBuilder(decisions, ids).addTable(this);
    for (LearntCommands each : learnt) {
      assembly.addLearnt(each.facts(), divided);
    }
    return assembly.isChanged() ? new CommandTable(assembly, decisions, ids) : this;
  }

  /**
   * Returns whether the facts that a server reports are missing in this table: a command, a
   * subcommand of a container, or an arity that must replace the known one.
   */
  boolean lacks(CommandFacts reported) {
    CommandSpec spec = byName.get(reported.name());
    if (spec != null) {
      return CommandTableBuilder.usesServerArity(spec.handling(), spec.arity(), reported.arity());
    }
    CommandSpec container = reported.isSubcommand() ? byName.get(reported.topLevelName()) : null;
    return container == null || container.isContainer();
  }

  /**
   * Returns the spec of a request's command, ignoring case: the subcommand's if the command is a
   * container that has it; the container's if argument 1 is missing or unknown (see {@link
   * Command#isUnknownSubcommand}); null if the command is unknown. Allocates nothing.
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
   * Returns the spec of a command that must exist.
   *
   * @param name in any case, {@code config|get} for a subcommand
   * @throws IllegalArgumentException if the table does not have it
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

  /** Returns the commands without subcommands, sorted by name. */
  public List<CommandSpec> commands() {
    return commands;
  }

  /**
   * Returns whether there is a command, or a subcommand {@code config|get}, of this name, ignoring
   * case.
   */
  public boolean knows(String name) {
    return lookUp(name) != null;
  }

  /** Returns the names of commands and subcommands that another table lacks, sorted. */
  public List<String> namesNotIn(CommandTable other) {
    List<String> names = new ArrayList<>(byName.keySet());
    names.removeAll(other.byName.keySet());
    names.sort(Comparator.naturalOrder());
    return names;
  }

  /** Returns the lowest number that is above all ids of commands and subcommands. */
  public int size() {
    return 1 + byName.values().stream().mapToInt(CommandSpec::id).max().orElse(-1);
  }
}
