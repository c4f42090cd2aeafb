package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.NameTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All commands that Penstock knows. Immutable, shared by all event loops.
 *
 * <p>Built-in commands that the nodes lack are <em>absent</em>: they keep their ids and specs, but
 * are unknown to clients.
 */
public final class CommandTable {

  /** Most commands and subcommands that are learnt from nodes, in addition to the built-in ones. */
  static final int MAX_LEARNT = 4_096;

  private final NameTable names;
  private final List<CommandSpec> commands;
  private final List<CommandSpec> specs;
  private final Map<String, CommandSpec> byName;
  private final Set<String> absent;
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
    Map<String, CommandSpec> all = assembly.byName();
    specs = all.values().stream().sorted(Comparator.comparing(CommandSpec::name)).toList();
    absent = assembly.absent();
    all.keySet().removeAll(absent);
    byName = all;
    commands = specs.stream().filter(this::isCommand).toList();
    names = new NameTable(commands);
    this.decisions = decisions;
    this.ids = ids;
  }

  private boolean isCommand(CommandSpec spec) {
    return !spec.facts().isSubcommand() && byName.containsKey(spec.name());
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
   * Returns the built-in table with other rules applied, for the same nodes. What is learnt into it
   * gets the same ids as in this one.
   */
  public CommandTable withRules(CommandRules rules) {
    return builtIn(rules, absent);
  }

  /** Returns the built-in table with these rules, for nodes that have not answered yet. */
  public CommandTable forOtherNodes(CommandRules rules) {
    return builtIn(rules, Set.of());
  }

  private CommandTable builtIn(CommandRules rules, Set<String> absent) {
    var others = new HandlingDecisions(Builtin.HANDLINGS, rules);
    var assembly = new CommandTableBuilder(others).addBuiltIn(Builtin.FACTS).withAbsent(absent);
    return new CommandTable(assembly, others, ids);
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
   * removed: a node that lacks it answers with an error. A built-in one becomes absent if all nodes
   * have answered and none has it, and comes back as soon as one has it.
   *
   * @param learnt if nodes differ about a command, the last one applies
   * @param divided whether there are several partitions, so that commands are routed by their keys
   * @param ofAllNodes whether every node has told its commands
   */
  public CommandTable withLearnt(
      Collection<LearntCommands> learnt, boolean divided, boolean ofAllNodes) {
    CommandTableBuilder assembly = new CommandTableBuilder(decisions, ids).addTable(this);
    learnt.forEach(each -> assembly.addLearnt(each, divided));
    assembly.keepPresent(learnt, ofAllNodes);
    return assembly.isChanged() ? new CommandTable(assembly, decisions, ids) : this;
  }

  /**
   * Returns whether an unknown command may be added to this table: a subcommand only to a
   * container.
   */
  boolean mayGet(CommandFacts unknown) {
    CommandSpec container = unknown.isSubcommand() ? byName.get(unknown.topLevelName()) : null;
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
   * Returns the spec of a command that must exist and not be absent.
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

  /** Returns the commands without subcommands and without those that are absent, by name. */
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

  /**
   * Returns whether a field of a hash may have a deadline that {@code HSET} would take away, and
   * {@code HSETEX … KEEPTTL} does not.
   */
  public boolean fieldsMayExpire() {
    return knows("hsetex");
  }

  /** Returns all commands and subcommands, by name, with those that are absent. */
  public List<CommandSpec> specs() {
    return specs;
  }

  Set<String> absent() {
    return absent;
  }

  /** Returns the names of commands and subcommands that another table lacks, sorted. */
  public List<String> namesNotIn(CommandTable other) {
    List<String> names = new ArrayList<>(specs.stream().map(CommandSpec::name).toList());
    names.removeAll(other.specs.stream().map(CommandSpec::name).toList());
    return names;
  }

  /** Returns the lowest number that is above all ids of commands and subcommands. */
  public int size() {
    return 1 + specs.stream().mapToInt(CommandSpec::id).max().orElse(-1);
  }
}
