package io.penstock.core.command;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The ids of the commands that are learnt from nodes: one for each name, whichever upstream has it,
 * so that the counters of a listener keep their meaning when it changes to another upstream. Safe
 * from any thread.
 */
final class CommandIds {

  private final Map<String, Integer> ids = new ConcurrentHashMap<>();
  private final AtomicInteger next;

  /**
   * @param first the first id that no built-in command has
   */
  CommandIds(int first) {
    this.next = new AtomicInteger(first);
  }

  /** Returns the id of a command that is not built in. */
  int idOf(String name) {
    return ids.computeIfAbsent(name, _ -> next.getAndIncrement());
  }
}
