package io.penstock.core.crossslot;

import io.penstock.core.forward.GatherLimit;
import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.waiting.KeyWaits;

/**
 * What a loop provides for commands over several slots.
 *
 * @param settings of the listener
 * @param partitioner of the upstream
 * @param names for copies of keys
 * @param limit on the bytes that one command may collect
 * @param counts of the loop
 * @param waits the keys that the clients of the loop wait for
 */
public record CrossSlotLoop(
    CrossSlotSettings settings,
    Partitioner partitioner,
    TemporaryNames names,
    GatherLimit limit,
    CrossSlotCounts counts,
    KeyWaits waits) {

  public CrossSlotLoop(
      CrossSlotSettings settings,
      Partitioner partitioner,
      GatherLimit limit,
      CrossSlotCounts counts,
      KeyWaits waits) {
    this(settings, partitioner, new TemporaryNames(partitioner), limit, counts, waits);
  }
}
