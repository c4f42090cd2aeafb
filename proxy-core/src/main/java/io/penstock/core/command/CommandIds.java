package io.penstock.core.command;

import java.util.HashMap;
import java.util.Map;

/**
 * The ids of the commands that are learnt from nodes: one for each name, whichever upstream has it,
 * so that the counters of a listener keep their meaning when it changes to another upstream. Safe
 * from any thread.
 */
final class CommandIds {

  private final Map<String, Integer> ids = new HashMap<>();
  private final int first;

  /**
   * @param first the first id that no built-in command has
   */
  CommandIds(int first) {
    this.first = first;
  }

  /** Returns the id of a command that is not built in. */
  synchronized int idOf(String name) {
    return ids.computeIfAbsent(name, _ -> first + ids.size());
  }
}
