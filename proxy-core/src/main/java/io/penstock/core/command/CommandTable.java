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

  /** Most commands and subcommands that are learnt from nodes, beside those that are built in. */
  static final int MAX_LEARNT = 4_096;

  private final NameTable names;
  private final List<CommandSpec> commands;
  private final Map<String, CommandSpec> byName;
  private final HandlingDecisions decisions;

  /**
   * A table of commands with their subcommands, and what becomes of them.
   *
   * @throws IllegalArgumentException when a command and its handling do not fit together
   */
  CommandTable(List<CommandFacts> facts, HandlingDecisions decisions) {
    this(new CommandTableBuilder(decisions).addBuiltIn(facts), decisions);
  }

  private CommandTable(CommandTableBuilder assembly, HandlingDecisions decisions) {
    byName = assembly.byName();
    List<CommandSpec> topLevel = new ArrayList<>(byName.values());
    topLevel.removeIf(spec -> spec.facts().isSubcommand());
    topLevel.sort(Comparator.comparing(CommandSpec::name));
    commands = List.copyOf(topLevel);
    names = new NameTable(commands);
    this.decisions = decisions;
  }

  /**
   * The table that Penstock comes with, nothing being allowed or denied by configuration.
   *
   * @throws ExceptionInInitializerError when the resources contradict each other
   */
  public static CommandTable load() {
    return Builtin.TABLE;
  }

  /** The table that Penstock comes with, under these rules. */
  public static CommandTable load(CommandRules rules) {
    return new CommandTable(Builtin.FACTS, new HandlingDecisions(Builtin.HANDLINGS, rules));
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
   * This table and what nodes said beyond it. Ids stay what they are and new ones follow; a command
   * whose facts have not changed keeps its spec. What was learnt once stays known: a node that does
   * not have it says so itself.
   *
   * @param learnt where nodes differ about a command, the last one is believed
   * @param divided whether there are several nodes, and keys decide between them
   */
  public CommandTable withLearnt(Collection<LearntCommands> learnt, boolean divided) {
    CommandTableBuilder assembly = new CommandTableBuilder(decisions).addTable(this);
    for (LearntCommands each : learnt) {
      assembly.addLearnt(each.facts(), divided);
    }
    return assembly.isChanged() ? new CommandTable(assembly, decisions) : this;
  }

  /**
   * Whether a server says with this what the table does not have: a command, a subcommand of a
   * container, or another arity that counts.
   */
  boolean lacks(CommandFacts said) {
    CommandSpec spec = byName.get(said.name());
    if (spec != null) {
      return CommandTableBuilder.usesServerArity(spec.handling(), spec.arity(), said.arity());
    }
    CommandSpec container = said.isSubcommand() ? byName.get(said.topLevelName()) : null;
    return container == null || container.isContainer();
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

  /** Whether there is a command, or a subcommand {@code config|get}, of this name in any case. */
  public boolean knows(String name) {
    return lookUp(name) != null;
  }

  /** Names of commands and subcommands that another table does not have, in order. */
  public List<String> namesNotIn(CommandTable other) {
    List<String> names = new ArrayList<>(byName.keySet());
    names.removeAll(other.byName.keySet());
    names.sort(Comparator.naturalOrder());
    return names;
  }

  /** How many ids there are: commands and subcommands. */
  public int size() {
    return byName.size();
  }
}
