package io.penstock.core.observe;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slots that can be served now. A slot is covered if its master has answered a {@code PING}
 * within {@link #FRESH}. A single server has 16,384 slots, too, see {@link ShownSlots}. Immutable.
 *
 * @param topology the topology that was checked
 * @param coveredSlots 0 to 16384
 * @param gaps the slots that are not covered, in ascending order
 * @param nodes masters and replicas of the topology, shard by shard
 * @param replicas the replicas that reads may go to, shard by shard; empty if reads go to masters
 *     only
 */
public record UpstreamStatus(
    Placement topology,
    int coveredSlots,
    List<Gap> gaps,
    List<NodeStatus> nodes,
    List<ReplicaStatus> replicas) {

  /** How long a reply to {@code PING} is valid. */
  public static final Duration FRESH = Duration.ofSeconds(5);

  public UpstreamStatus {
    gaps = List.copyOf(gaps);
    nodes = List.copyOf(nodes);
    replicas = List.copyOf(replicas);
  }

  /** The status of an upstream whose reads go to masters only. */
  public UpstreamStatus(
      Placement topology, int coveredSlots, List<Gap> gaps, List<NodeStatus> nodes) {
    this(topology, coveredSlots, gaps, nodes, List.of());
  }

  /** Returns this status with what is known about replicas that reads may go to. */
  public UpstreamStatus with(List<ReplicaStatus> now) {
    return new UpstreamStatus(topology, coveredSlots, gaps, nodes, now);
  }

  /** Returns whether every slot is covered. */
  public boolean isComplete() {
    return gaps.isEmpty();
  }

  /**
   * Adjacent slots that are not covered for the same reason.
   *
   * @param firstSlot the lowest
   * @param lastSlot the highest, the same for a single slot
   * @param master that does not answer; null if the topology has none
   * @param since when the master last answered; if it never has, the start of Penstock; if there is
   *     no master, when the topology was first seen without one
   * @param reason why it does not answer, without passwords; null if that is unknown
   */
  public record Gap(
      int firstSlot,
      int lastSlot,
      @Nullable Endpoint master,
      Instant since,
      @Nullable String reason) {

    /** Returns the slots as Redis writes a range: {@code 0-5460}, {@code 7}. */
    public String slots() {
      return ShownSlots.range(firstSlot, lastSlot);
    }
  }

  /**
   * One node.
   *
   * @param master whether it is a master, otherwise a replica
   * @param up whether it has answered recently
   * @param lastAnswer null if it never has answered
   * @param failure why the last {@code PING} was not answered, without passwords; null if it was
   */
  public record NodeStatus(
      Endpoint node,
      boolean master,
      boolean up,
      @Nullable Instant lastAnswer,
      @Nullable String failure) {}
}
