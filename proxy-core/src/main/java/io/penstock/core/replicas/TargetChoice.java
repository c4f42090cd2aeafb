package io.penstock.core.replicas;

import io.penstock.core.observe.ReplicaState;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the nodes of a shard that reads go to, by the policy:
 *
 * <table>
 * <caption>Nodes that reads go to</caption>
 * <tr><th>policy<th>master and replicas good<th>no good replica<th>master does not answer, replicas
 *     good<th>nothing good
 * <tr><td>{@code MASTER}<td>master<td>master<td>master<td>master
 * <tr><td>{@code MASTER_PREFERRED}<td>master<td>master<td>replicas<td>master
 * <tr><td>{@code REPLICA}<td>replicas<td>none<td>replicas<td>none
 * <tr><td>{@code REPLICA_PREFERRED}<td>replicas<td>master<td>replicas<td>master
 * <tr><td>{@code LOWEST_LATENCY}<td>the fastest of all<td>master<td>the fastest replicas<td>master
 * <tr><td>{@code ANY}<td>all<td>master<td>replicas<td>master
 * </table>
 *
 * <p>Reads that go to a master which does not answer wait for it in the failover hold, as writes
 * do; reads of a shard with no target wait for a replica. Of the nodes in a cell, those in
 * Penstock's own zone are taken if there is one, and of these the fastest.
 */
final class TargetChoice {

  private static final long TOLERANCE_NANOS = 500_000;

  private final ReadSettings settings;

  TargetChoice(ReadSettings settings) {
    this.settings = settings;
  }

  /**
   * Returns the nodes to read, in the order master, replicas.
   *
   * @param master of the shard
   * @param replicas of the shard, judged
   * @param readsMaster whether the master is read as the replicas are, by any policy
   * @param before what was chosen for this shard last, possibly nothing
   */
  List<Endpoint> choose(
      MonitoredNode master,
      List<MonitoredNode> replicas,
      boolean readsMaster,
      List<Endpoint> before) {
    List<MonitoredNode> candidates = new ArrayList<>();
    if ((readsMaster || prefersMaster()) && master.isReadableMaster()) {
      candidates.add(master);
    }
    if (candidates.isEmpty() || settings.from() != ReadFrom.MASTER_PREFERRED) {
      for (MonitoredNode replica : replicas) {
        if (settings.usesReplicas() && replica.state() == ReplicaState.READABLE) {
          candidates.add(replica);
        }
      }
    }
    if (candidates.isEmpty()) {
      return settings.from().mayReadMaster() ? List.of(master.node()) : List.of();
    }
    List<MonitoredNode> near = ofOwnZone(candidates);
    if (settings.from() == ReadFrom.LOWEST_LATENCY) {
      near = fastest(near, before);
    }
    return near.stream().map(MonitoredNode::node).toList();
  }

  /** Returns whether a master that answers is read even if replicas may be read. */
  private boolean prefersMaster() {
    return switch (settings.from()) {
      case MASTER, MASTER_PREFERRED, LOWEST_LATENCY, ANY -> true;
      case REPLICA, REPLICA_PREFERRED -> false;
    };
  }

  private List<MonitoredNode> ofOwnZone(List<MonitoredNode> nodes) {
    List<MonitoredNode> own =
        nodes.stream().filter(node -> settings.zones().isOwn(node.node(), node.zone())).toList();
    return own.isEmpty() ? nodes : own;
  }

  /**
   * Returns the nodes that are not much slower than the fastest. A node that was chosen before may
   * be slower than a new one, so that small changes of the latency do not move clients.
   */
  private static List<MonitoredNode> fastest(List<MonitoredNode> nodes, List<Endpoint> before) {
    long best = Long.MAX_VALUE;
    for (MonitoredNode node : nodes) {
      best = Math.min(best, node.latencyNanos());
    }
    long toEnter = best + best / 2 + TOLERANCE_NANOS;
    long toStay = 2 * best + 2 * TOLERANCE_NANOS;
    return nodes.stream()
        .filter(node -> node.latencyNanos() <= (before.contains(node.node()) ? toStay : toEnter))
        .toList();
  }
}
