package io.penstock.core.spec;

import java.util.List;
import java.util.Set;

/** Which commands of those that only read a replica may serve. */
final class ReplicaReads {

  /**
   * Commands about what a replica keeps for itself: when a key was last used, how it is encoded,
   * how long a consumer has been idle, how the elements of a vector set are linked.
   */
  private static final Set<String> ABOUT_THE_NODE =
      Set.of("object", "memory", "xinfo", "touch", "vinfo", "vlinks");

  private ReplicaReads() {}

  /**
   * Returns whether a replica may serve the read-only command. It must have keys, which it reads.
   */
  static boolean mayServe(CommandFacts facts) {
    String name = facts.name();
    int end = name.indexOf('|');
    List<KeySpec> keys = facts.keySpecs();
    return !keys.isEmpty()
        && !ABOUT_THE_NODE.contains(end < 0 ? name : name.substring(0, end))
        && keys.stream().allMatch(key -> key.hasKeys() && isRead(facts, key));
  }

  /**
   * Returns false for {@code PFCOUNT}, for example, which may update what it has cached. Servers
   * report {@code RW} for each key of a module's command that does not say otherwise, even if it is
   * {@code readonly}.
   */
  private static boolean isRead(CommandFacts facts, KeySpec key) {
    return facts.flags().contains(CommandFlag.MODULE) || !key.flags().contains(KeyFlag.RW);
  }
}
