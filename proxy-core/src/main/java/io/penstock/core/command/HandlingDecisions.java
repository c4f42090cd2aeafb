package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.Handling;

/**
 * Decides the handling of each command, from {@code handling.table} and the rules of the
 * configuration.
 */
record HandlingDecisions(HandlingTable table, CommandRules rules) {

  /** Returns the handling of a built-in command: by its line in the table, or by its keys. */
  Handling forBuiltIn(CommandFacts command, boolean isContainer) {
    return rules.apply(command, table.handlingOf(command, isContainer), table.denialError(command));
  }

  /**
   * Returns the handling of a learnt command.
   *
   * @param divided whether there are several partitions, so that commands are routed by their keys
   */
  Handling forLearnt(CommandFacts command, boolean isContainer, boolean divided) {
    String denialError = table.denialError(command);
    return rules.apply(
        command,
        isContainer
            ? new Handling.Forward()
            : LearntHandling.of(command, table.containerHandling(command), divided),
        denialError == null ? LearntHandling.denialError(command) : denialError);
  }
}
