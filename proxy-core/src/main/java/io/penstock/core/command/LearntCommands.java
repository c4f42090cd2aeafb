package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import java.util.ArrayList;
import java.util.List;

/**
 * What one node's reply to {@code COMMAND} says beyond the table that Penstock comes with: commands
 * and subcommands that it does not have, and a wider arity of those it has. Immutable.
 */
public final class LearntCommands {

  /** What a node says that says nothing new. */
  public static final LearntCommands NONE = new LearntCommands(List.of());

  private final List<CommandFacts> facts;

  private LearntCommands(List<CommandFacts> facts) {
    this.facts = facts;
  }

  /**
   * Reads a reply; what cannot be understood is left out.
   *
   * @param reply of {@code COMMAND} in RESP2: lists, strings and {@link Long}s
   */
  public static LearntCommands parse(List<?> reply) {
    CommandTable known = CommandTable.load();
    List<CommandFacts> facts = new ArrayList<>();
    for (Object entry : reply) {
      CommandReplyParser.parse(
          entry,
          command -> {
            if (facts.size() < CommandTable.MAX_LEARNT && known.lacks(command)) {
              facts.add(command);
            }
          });
    }
    return facts.isEmpty() ? NONE : new LearntCommands(List.copyOf(facts));
  }

  /** Subcommands stand behind their containers. */
  List<CommandFacts> facts() {
    return facts;
  }
}
