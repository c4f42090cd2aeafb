package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;

/** What becomes of each command: {@code handling.table}, and what the configuration says. */
record HandlingDecisions(HandlingTable table, CommandRules rules) {

  /** For a command that the table has a line for, or whose keys say where it goes. */
  Handling forBuiltIn(CommandFacts command, boolean isContainer) {
    return rules.apply(command, table.handlingOf(command, isContainer), table.denialError(command));
  }

  /**
   * For a command that was learnt.
   *
   * @param divided whether commands must find the node of their keys
   */
  Handling forLearnt(CommandFacts command, boolean isContainer, boolean divided) {
    String denial = table.denialError(command);
    return rules.apply(
        command,
        isContainer
            ? new Handling.Forward()
            : LearntHandling.of(command, table.containerHandling(command), divided),
        denial == null ? LearntHandling.denialError(command) : denial);
  }
}
