package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one node's reply to {@code COMMAND} has: the facts of commands and subcommands that the
 * built-in table lacks, and which of the built-in ones the node has, with their arities. Immutable.
 */
public final class LearntCommands {

  private final List<CommandFacts> facts;
  private final Map<String, Integer> arities;
  private final Set<String> builtIn;
  private final boolean complete;

  private LearntCommands(
      List<CommandFacts> facts,
      Map<String, Integer> arities,
      Set<String> builtIn,
      boolean complete) {
    this.facts = List.copyOf(facts);
    this.arities = Map.copyOf(arities);
    this.builtIn = Set.copyOf(builtIn);
    this.complete = complete;
  }

  /**
   * Parses a reply. Skips what cannot be parsed.
   *
   * @param reply to {@code COMMAND} in RESP2: lists, strings and {@link Long}s
   */
  public static LearntCommands parse(List<?> reply) {
    CommandTable known = CommandTable.load();
    List<CommandFacts> facts = new ArrayList<>();
    Map<String, Integer> arities = new HashMap<>();
    Set<String> containers = new HashSet<>();
    for (Object entry : reply) {
      CommandReplyParser.parse(
          entry,
          command -> {
            if (known.knows(command.name())) {
              arities.put(command.name(), command.arity());
            } else if (facts.size() < CommandTable.MAX_LEARNT && known.mayGet(command)) {
              facts.add(command);
            }
            if (command.isSubcommand()) {
              containers.add(command.topLevelName());
            }
          });
    }
    return new LearntCommands(
        facts,
        arities,
        builtIn(known, arities.keySet(), containers),
        arities.containsKey("command"));
  }

  /**
   * Returns the built-in names that a node has. Servers before Redis 7 do not report subcommands:
   * they have those of each container that they have.
   */
  private static Set<String> builtIn(
      CommandTable known, Set<String> reported, Set<String> containers) {
    Set<String> names = new HashSet<>();
    for (CommandSpec spec : known.specs()) {
      String container = spec.facts().topLevelName();
      if (reported.contains(containers.contains(container) ? spec.name() : container)) {
        names.add(spec.name());
      }
    }
    return names;
  }

  /** Returns the facts that the built-in table lacks. Subcommands come after their containers. */
  List<CommandFacts> facts() {
    return facts;
  }

  /** Returns the arities of built-in commands and subcommands, by name. */
  Map<String, Integer> arities() {
    return arities;
  }

  /** Returns which names of the built-in table the node has. */
  Set<String> builtIn() {
    return builtIn;
  }

  /** Returns whether the reply has all of the node's commands: it has {@code COMMAND} itself. */
  boolean isComplete() {
    return complete;
  }
}
