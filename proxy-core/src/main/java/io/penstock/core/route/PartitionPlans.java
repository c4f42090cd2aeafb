package io.penstock.core.route;

import java.util.Arrays;

/**
 * The plans for one partition each, made once, so that routing makes none. Immutable; routers of
 * all event loops share them.
 */
final class PartitionPlans {

  private static volatile PartitionPlans largest = new PartitionPlans(1);

  private final RoutePlan.Single[] single;
  private final RoutePlan.Several[] multiKey;

  private PartitionPlans(int partitions) {
    single = new RoutePlan.Single[partitions];
    multiKey = new RoutePlan.Several[partitions];
    Arrays.setAll(single, RoutePlan.Single::new);
    Arrays.setAll(multiKey, RoutePlan.Several::new);
  }

  /** For so many partitions at least. Plans that two threads make at the same time are equal. */
  static PartitionPlans of(int partitions) {
    PartitionPlans made = largest;
    if (made.single.length < partitions) {
      made = new PartitionPlans(partitions);
      largest = made;
    }
    return made;
  }

  /** For a command with a key of that partition, or none. */
  RoutePlan.Single single(int partition) {
    return single[partition];
  }

  /** For a command with several keys, all of that partition. */
  RoutePlan.Several multiKey(int partition) {
    return multiKey[partition];
  }
}
