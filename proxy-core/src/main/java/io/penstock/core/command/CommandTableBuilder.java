package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@link CommandTable} being made: of the resources, or of an older table and what was learnt.
 */
final class CommandTableBuilder {

  private final HandlingDecisions decisions;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final Map<String, CommandSpec> older = new HashMap<>();
  private boolean changed;

  /** A command or subcommand; ids are dense and stay. */
  private record Entry(int id, CommandFacts facts, Handling handling) {}

  CommandTableBuilder(HandlingDecisions decisions) {
    this.decisions = decisions;
  }

  /** Adds what the resources hold. */
  CommandTableBuilder addBuiltIn(List<CommandFacts> facts) {
    Set<String> containers = containers(facts);
    for (CommandFacts command : facts) {
      Handling handling = decisions.forBuiltIn(command, containers.contains(command.name()));
      entries.put(command.name(), new Entry(entries.size(), command, handling));
    }
    decisions.table().requireKnown(entries.keySet());
    return this;
  }

  /** Adds a whole older table, ids and all. */
  CommandTableBuilder addTable(CommandTable table) {
    for (CommandSpec command : table.commands()) {
      addOlder(command);
      command.subcommands().forEach(this::addOlder);
    }
    return this;
  }

  private void addOlder(CommandSpec spec) {
    older.put(spec.name(), spec);
    entries.put(spec.name(), new Entry(spec.id(), spec.facts(), spec.handling()));
  }

  /** Adds what a node said, containers standing before their subcommands. */
  void addLearnt(List<CommandFacts> facts, boolean divided) {
    CommandTable builtin = CommandTable.load();
    Set<String> containers = containers(facts);
    for (CommandFacts command : facts) {
      Entry entry = entries.get(command.name());
      if (entry == null ? !mayAdd(command, builtin) : entry.facts.equals(command)) {
        continue;
      }
      if (builtin.lookUp(command.name()) != null) {
        takeArity(command);
      } else {
        int id = entry == null ? entries.size() : entry.id;
        boolean container = containers.contains(command.name());
        Handling handling = decisions.forLearnt(command, container, divided);
        entries.put(command.name(), new Entry(id, command, handling));
        changed = true;
      }
    }
  }

  private boolean mayAdd(CommandFacts command, CommandTable builtin) {
    return entries.size() < builtin.size() + CommandTable.MAX_LEARNT
        && (!command.isSubcommand() || entries.containsKey(command.topLevelName()));
  }

  /**
   * Takes a known command's arity from the servers that run it: newer ones may take more arguments,
   * older ones fewer, and within a transaction it is Penstock that tells.
   */
  private void takeArity(CommandFacts command) {
    Entry entry = entries.get(command.name());
    if (entry != null && usesServerArity(entry.handling, entry.facts.arity(), command.arity())) {
      CommandFacts served = entry.facts.withArity(command.arity());
      entries.put(command.name(), new Entry(entry.id, served, entry.handling));
      changed = true;
    }
  }

  /**
   * Whether the arity that servers say counts, and not the one known. What Penstock does by itself
   * relies on the arguments that the known one promises.
   */
  static boolean usesServerArity(Handling handling, int known, int said) {
    boolean stricter = known < 0 && Math.abs(said) >= -known;
    return known != said && (handling instanceof Handling.Forward || stricter);
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

  /** Whether there is more than the older table had. */
  boolean isChanged() {
    return changed;
  }

  /** All specs by name, subcommands too. */
  Map<String, CommandSpec> byName() {
    Map<String, List<CommandSpec>> subcommands = new HashMap<>();
    Map<String, CommandSpec> specs = new HashMap<>();
    for (Entry entry : entries.values()) {
      if (entry.facts.isSubcommand()) {
        CommandSpec spec = spec(entry, List.of());
        specs.put(spec.name(), spec);
        subcommands.computeIfAbsent(entry.facts.topLevelName(), _ -> new ArrayList<>()).add(spec);
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
        : new CommandSpec(entry.id, entry.facts, entry.handling, subcommands);
  }
}
