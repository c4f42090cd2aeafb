package io.penstock.core.spec;

import java.util.List;

/** Which commands of those that only read a replica may serve. */
final class ReplicaReads {

  private ReplicaReads() {}

  /**
   * Returns whether a replica may serve the read-only command. It must have keys, which it reads.
   */
  static boolean mayServe(CommandFacts facts, CommandTraits traits) {
    List<KeySpec> keys = facts.keySpecs();
    return !keys.isEmpty()
        && !traits.has(Trait.READS_NODE_STATE)
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
