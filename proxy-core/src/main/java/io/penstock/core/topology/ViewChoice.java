package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which of several views to believe. Best first:
 *
 * <ol>
 *   <li>one that knows an owner for some slot: a node that was just started or reset knows none;
 *   <li>one of the known cluster, that is, one that shares a node id with what is known: an address
 *       may have been given to a node of another cluster;
 *   <li>one whose node reaches a majority of the masters;
 *   <li>one that has seen the highest configuration epoch;
 *   <li>one that covers more slots;
 *   <li>one of the node whose view was taken last: one node's views only grow newer.
 * </ol>
 *
 * <p>A view of another cluster is usable only when a seed gave it, so that a node's address, once
 * it belongs to somebody else, cannot lead the proxy away; and only when no node of the known
 * cluster answered. That is how a cluster that was replaced behind the same seed names is found
 * again.
 */
final class ViewChoice {

  private final KnownCluster known;
  private final Set<Endpoint> seeds;
  private final Comparator<ClusterView> order;

  /**
   * @param last the node whose view was taken last, or null
   */
  ViewChoice(KnownCluster known, Set<Endpoint> seeds, @Nullable Endpoint last) {
    this.known = known;
    this.seeds = seeds;
    this.order =
        Comparator.<ClusterView, Boolean>comparing(known::isSameCluster)
            .thenComparing(ClusterView::isOfMajority)
            .thenComparingLong(ClusterView::highestEpoch)
            .thenComparingInt(ClusterView::coveredSlots)
            .thenComparing(view -> view.source().equals(last));
  }

  /** What the view is worth to the round that asked for it. */
  RefreshRound.Worth rate(ClusterView view) {
    if (!isSufficient(view)) {
      return RefreshRound.Worth.INSUFFICIENT;
    }
    return isNews(view) ? RefreshRound.Worth.NEWER : RefreshRound.Worth.SUFFICIENT;
  }

  /** Whether it tells of a promotion, or of a slot's first move, that was not known. */
  private boolean isNews(ClusterView view) {
    return !known.nodes().isEmpty() && view.highestEpoch() > known.highestEpoch();
  }

  /** Whether the view is so good that no more nodes need to be asked. */
  boolean isSufficient(ClusterView view) {
    return isUsable(view)
        && known.isSameCluster(view)
        && view.isOfMajority()
        && !known.merge(view).hasStaleClaims();
  }

  /** The view to take, or null when none can be used. */
  @Nullable ClusterView best(List<ClusterView> views) {
    ClusterView best = null;
    for (ClusterView view : views) {
      if (isUsable(view) && (best == null || order.compare(view, best) > 0)) {
        best = view;
      }
    }
    return best;
  }

  private boolean isUsable(ClusterView view) {
    boolean successor = view.isOfMajority() && seeds.contains(view.source());
    return view.coveredSlots() > 0 && (known.isSameCluster(view) || successor);
  }
}
