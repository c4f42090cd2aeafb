package io.penstock.core.copies;

import io.penstock.core.mirror.CopyRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a task is sent to a copy. Immutable.
 *
 * @param steps each is sent when the one before is answered; empty if the task cannot be sent
 * @param alone whether nothing else may be in flight: its requests are ordered with regard to all
 *     keys
 * @param selects whether requests select databases
 * @param problem why it cannot be sent; null if it can
 */
record CopyPlan(List<List<Piece>> steps, boolean alone, boolean selects, @Nullable String problem) {

  /** The partition of what goes to the master of every shard. */
  static final int EVERY_MASTER = -1;

  /**
   * What goes to one partition.
   *
   * @param partition of the copy, or {@link #EVERY_MASTER}
   * @param requests several are one transaction
   */
  record Piece(int partition, List<CopyRequest> requests) {}

  static CopyPlan whole(List<CopyRequest> requests, int partition, boolean alone, boolean selects) {
    return new CopyPlan(List.of(List.of(new Piece(partition, requests))), alone, selects, null);
  }

  static CopyPlan impossible(String problem) {
    return new CopyPlan(List.of(), false, false, problem);
  }
}
