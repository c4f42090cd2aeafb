package io.penstock.core.command;

import static java.util.Objects.requireNonNull;

import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.CommandTraits;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.Trait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Builds a {@link CommandTable} from the resources, or from an older table and learnt commands. */
final class CommandTableBuilder {

  private final HandlingDecisions decisions;
  private final @Nullable CommandIds ids; // null if nothing is learnt
  private final Map<String, Entry> entries = new TreeMap<>();
  private final Map<String, CommandSpec> older = new HashMap<>();
  private Set<String> olderAbsent = Set.of();

  private Set<String> absent = Set.of();

  /** A command or subcommand. Its id never changes. */
  private record Entry(int id, CommandFacts facts, Handling handling) {}

  /** For built-in commands. */
  CommandTableBuilder(HandlingDecisions decisions) {
    this.decisions = decisions;
    this.ids = null;
  }

  /** For learnt commands too. */
  CommandTableBuilder(HandlingDecisions decisions, CommandIds ids) {
    this.decisions = decisions;
    this.ids = ids;
  }

  /** Adds the commands of the resources. */
  CommandTableBuilder addBuiltIn(List<CommandFacts> facts) {
    Set<String> containers = containers(facts);
    for (CommandFacts command : facts) {
      Handling handling = decisions.forBuiltIn(command, containers.contains(command.name()));
      entries.put(command.name(), new Entry(entries.size(), command, handling));
    }
    decisions.table().requireKnown(entries.keySet());
    return this;
  }

  /** Adds an older table with its ids. */
  CommandTableBuilder addTable(CommandTable table) {
    for (CommandSpec spec : table.specs()) {
      older.put(spec.name(), spec);
      entries.put(spec.name(), new Entry(spec.id(), spec.facts(), spec.handling()));
    }
    olderAbsent = table.absent();
    return withAbsent(olderAbsent);
  }

  /** Makes these names absent. */
  CommandTableBuilder withAbsent(Set<String> names) {
    absent = names;
    return this;
  }

  /** Adds what was learnt from a node. Containers must come before their subcommands. */
  void addLearnt(LearntCommands learnt, boolean divided) {
    CommandTable builtin = CommandTable.load();
    Set<String> containers = containers(learnt.facts());
    for (CommandFacts command : learnt.facts()) {
      Entry entry = entries.get(command.name());
      if (entry == null ? mayAdd(command, builtin) : !entry.facts.equals(command)) {
        int id = entry == null ? requireNonNull(ids).idOf(command.name()) : entry.id;
        boolean container = containers.contains(command.name());
        Handling handling = decisions.forLearnt(command, container, divided);
        entries.put(command.name(), new Entry(id, command, handling));
      }
    }
    learnt.arities().forEach((name, arity) -> applyArity(builtin.byName(name), arity));
  }

  /**
   * Makes what no node has absent, or, unless all nodes have answered, ends the absence of what a
   * node has.
   */
  void keepPresent(Collection<LearntCommands> learnt, boolean ofAllNodes) {
    Set<String> present = new HashSet<>();
    boolean complete = ofAllNodes && !learnt.isEmpty();
    for (LearntCommands each : learnt) {
      present.addAll(each.builtIn());
      complete &= each.isComplete();
    }
    Set<String> missing = new HashSet<>(absent);
    if (complete) {
      for (CommandSpec spec : CommandTable.load().specs()) {
        if (!spec.has(Trait.ALWAYS_KNOWN)) {
          missing.add(spec.name());
        }
      }
    }
    missing.removeAll(present);
    absent = Set.copyOf(missing);
  }

  private boolean mayAdd(CommandFacts command, CommandTable builtin) {
    return entries.size() < builtin.size() + CommandTable.MAX_LEARNT
        && (!command.isSubcommand() || entries.containsKey(command.topLevelName()));
  }

  /**
   * Applies the arity that servers report for a built-in command: newer servers may accept more
   * arguments, older ones fewer, and within a transaction Penstock checks the arity itself.
   */
  private void applyArity(CommandSpec builtin, int reported) {
    Entry entry = requireNonNull(entries.get(builtin.name()));
    boolean applies = usesServerArity(entry.handling, builtin.arity(), reported);
    int arity = applies ? reported : builtin.arity();
    if (entry.facts.arity() != arity) {
      CommandFacts facts = entry.facts.withArity(arity);
      entries.put(builtin.name(), new Entry(entry.id, facts, entry.handling));
    }
  }

  /**
   * Returns whether the arity that servers report replaces the built-in one. For a command that
   * Penstock does more with than forward it, only a stricter one does: Penstock's code relies on
   * the arguments that the known arity guarantees.
   */
  private static boolean usesServerArity(Handling handling, int known, int reported) {
    boolean stricter = known < 0 && Math.abs(reported) >= -known;
    return known != reported && (handling instanceof Handling.Forward || stricter);
  }

  private static Set<String> containers(List<CommandFacts> facts) {
    Set<String> containers = new HashSet<>();
    for (CommandFacts command : facts) {
      if (command.isSubcommand()) {
        containers.add(command.topLevelName());
      }
    }
    return containers;
  }

  /** Returns whether anything differs from the older table. */
  boolean isChanged() {
    return !absent.equals(olderAbsent)
        || entries.size() != older.size()
        || entries.values().stream().anyMatch(this::isChanged);
  }

  private boolean isChanged(Entry entry) {
    @Nullable CommandSpec before = older.get(entry.facts.name());
    return before == null || !before.facts().equals(entry.facts);
  }

  /** Returns the names that are absent. */
  Set<String> absent() {
    return absent;
  }

  /** Returns all specs by name, including subcommands. Containers have those that are present. */
  Map<String, CommandSpec> byName() {
    Map<String, List<CommandSpec>> subcommands = new HashMap<>();
    Map<String, CommandSpec> specs = new HashMap<>();
    for (Entry entry : entries.values()) {
      if (entry.facts.isSubcommand()) {
        CommandSpec spec = spec(entry, List.of());
        specs.put(spec.name(), spec);
        if (!absent.contains(spec.name())) {
          subcommands.computeIfAbsent(entry.facts.topLevelName(), _ -> new ArrayList<>()).add(spec);
        }
      }
    }
    for (Entry entry : entries.values()) {
      if (!entry.facts.isSubcommand()) {
        String name = entry.facts.name();
        specs.put(name, spec(entry, subcommands.getOrDefault(name, List.of())));
      }
    }
    return specs;
  }

  private CommandSpec spec(Entry entry, List<CommandSpec> subcommands) {
    @Nullable CommandSpec before = older.get(entry.facts.name());
    return before != null
            && before.facts().equals(entry.facts)
            && before.subcommands().equals(subcommands)
        ? before
        : new CommandSpec(entry.id, entry.facts, entry.handling, traits(entry.facts), subcommands);
  }

  private CommandTraits traits(CommandFacts command) {
    boolean learnt = ids != null && !CommandTable.load().knows(command.name());
    return learnt ? decisions.table().traitsOfLearnt(command) : decisions.table().traitsOf(command);
  }
}
