package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import java.util.ArrayList;
import java.util.List;

/**
 * What one node's reply to {@code COMMAND} has that the built-in table lacks: commands,
 * subcommands, and other arities of known commands. Immutable.
 */
public final class LearntCommands {

  /** Nothing learnt. */
  public static final LearntCommands NONE = new LearntCommands(List.of());

  private final List<CommandFacts> facts;

  private LearntCommands(List<CommandFacts> facts) {
    this.facts = facts;
  }

  /**
   * Parses a reply. Skips what cannot be parsed.
   *
   * @param reply to {@code COMMAND} in RESP2: lists, strings and {@link Long}s
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

  /** Returns the facts. Subcommands come after their containers. */
  List<CommandFacts> facts() {
    return facts;
  }
}
