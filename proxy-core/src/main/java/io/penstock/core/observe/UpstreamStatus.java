package io.penstock.core.observe;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which slots can be served right now. A slot is covered exactly when its master has answered a
 * {@code PING} within {@link #FRESH}. Of a single server, too, there are 16,384: {@link ShownSlots}
 * says which. Immutable.
 *
 * @param topology that this is about
 * @param coveredSlots 0 to 16384
 * @param gaps the slots that are not covered, in ascending order
 * @param nodes masters and replicas of the topology, shard by shard
 */
public record UpstreamStatus(
    Placement topology, int coveredSlots, List<Gap> gaps, List<NodeStatus> nodes) {

  /** For how long an answer counts. */
  public static final Duration FRESH = Duration.ofSeconds(5);

  public UpstreamStatus {
    gaps = List.copyOf(gaps);
    nodes = List.copyOf(nodes);
  }

  /** Whether every slot is covered. */
  public boolean isComplete() {
    return gaps.isEmpty();
  }

  /**
   * Adjacent slots that are not covered for the same reason.
   *
   * @param firstSlot the lowest
   * @param lastSlot the highest, the same for a single slot
   * @param master that does not answer, or null where the topology names none
   * @param since when the master last answered; the start of Penstock for one that never has; when
   *     the topology was first seen without a master
   * @param reason why it does not answer, no password in it; null where that is not known
   */
  public record Gap(
      int firstSlot,
      int lastSlot,
      @Nullable Endpoint master,
      Instant since,
      @Nullable String reason) {

    /** As Redis writes a range: {@code 0-5460}, {@code 7}. */
    public String slots() {
      return ShownSlots.range(firstSlot, lastSlot);
    }
  }

  /**
   * One node.
   *
   * @param master whether it is one, else it is a replica
   * @param up whether it has answered lately
   * @param lastAnswer null when it never has
   * @param failure why it did not answer when it was last asked, no password in it; null when it
   *     did
   */
  public record NodeStatus(
      Endpoint node,
      boolean master,
      boolean up,
      @Nullable Instant lastAnswer,
      @Nullable String failure) {}
}
