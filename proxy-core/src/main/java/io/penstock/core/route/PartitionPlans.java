package io.penstock.core.route;

import java.util.Arrays;

/**
 * The plans for one partition each, created once, so that routing allocates none. Immutable; shared
 * by the routers of all event loops.
 */
final class PartitionPlans {

  private static volatile PartitionPlans largest = new PartitionPlans(1);

  private final RoutePlan.Single[] single;
  private final RoutePlan.MultiKey[] multiKey;

  private PartitionPlans(int partitions) {
    single = new RoutePlan.Single[partitions];
    multiKey = new RoutePlan.MultiKey[partitions];
    Arrays.setAll(single, RoutePlan.Single::new);
    Arrays.setAll(multiKey, RoutePlan.MultiKey::new);
  }

  /**
   * Returns plans for at least {@code partitions} partitions. Plans that two threads create at the
   * same time are equal.
   */
  static PartitionPlans of(int partitions) {
    PartitionPlans made = largest;
    if (made.single.length < partitions) {
      made = new PartitionPlans(partitions);
      largest = made;
    }
    return made;
  }

  /** Returns the plan for a command with a key of that partition, or without keys. */
  RoutePlan.Single single(int partition) {
    return single[partition];
  }

  /** Returns the plan for a command with several keys, all of that partition. */
  RoutePlan.MultiKey multiKey(int partition) {
    return multiKey[partition];
  }
}
