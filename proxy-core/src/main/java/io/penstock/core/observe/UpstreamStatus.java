package io.penstock.core.observe;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slots that can be served now. A slot is covered if its master has served within {@link
 * #FRESH}: it has answered a {@code PING}, and, in a cluster, the cluster's state is {@code ok}. A
 * single server has 16,384 slots, too, see {@link ShownSlots}. Slots of a server that was taken out
 * of the layout count as covered: other servers have their keys. Immutable.
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

  /** Returns the status of a node; null if the topology does not have it. */
  public @Nullable NodeStatus statusOf(Endpoint node) {
    return nodes.stream().filter(each -> each.node().equals(node)).findFirst().orElse(null);
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
   * @param master that does not serve them; null if the topology has none
   * @param since when the master last served; if it never has, the start of Penstock; if there is
   *     no master, when the topology was first seen without one
   * @param reason why it does not serve, without passwords; null if that is unknown
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
   * @param up whether it has answered a {@code PING} within {@link #FRESH}
   * @param serves whether it has served within {@link #FRESH}; a node that is up may not
   * @param lastServed null if it never has
   * @param trouble what the last check found; null if the node served
   */
  public record NodeStatus(
      Endpoint node,
      boolean master,
      boolean up,
      boolean serves,
      @Nullable Instant lastServed,
      @Nullable Trouble trouble) {}

  /**
   * Why a node does not serve.
   *
   * @param reason without passwords
   * @param answered whether it is the node's own answer; otherwise the node does not answer
   */
  public record Trouble(String reason, boolean answered) {}
}
