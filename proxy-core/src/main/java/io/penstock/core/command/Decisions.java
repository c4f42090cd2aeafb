package io.penstock.core.command;

import io.penstock.core.spec.CommandFacts;

/** What becomes of each command: {@code handling.table}, and what the configuration says. */
record Decisions(HandlingTable table, CommandRules rules) {

  /** For a command that the table has a line for, or whose keys say where it goes. */
  Handling of(CommandFacts command, boolean isContainer) {
    return rules.applied(command, table.of(command, isContainer), table.denial(command));
  }

  /**
   * For a command that was learnt.
   *
   * @param divided whether commands must find the node of their keys
   */
  Handling ofLearnt(CommandFacts command, boolean isContainer, boolean divided) {
    String denial = table.denial(command);
    return rules.applied(
        command,
        isContainer
            ? new Handling.Forward()
            : LearntHandling.of(command, table.ofContainer(command), divided),
        denial == null ? LearntHandling.denial(command) : denial);
  }
}
