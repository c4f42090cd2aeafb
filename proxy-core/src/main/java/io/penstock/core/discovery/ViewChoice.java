package io.penstock.core.discovery;

import io.penstock.core.topology.RefreshRound;
import io.penstock.core.upstream.Endpoint;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects one of several views. In order of priority:
 *
 * <ol>
 *   <li>a view with an owner for some slot: a node that has just started or was reset knows none;
 *   <li>a view of the known cluster, that is, with at least one known node id: an address may have
 *       been reassigned to a node of another cluster;
 *   <li>a view whose node reaches a majority of the masters;
 *   <li>the view with the highest configuration epoch;
 *   <li>the view that covers the most slots;
 *   <li>the view of the node whose view was used last: the views of one node only get newer.
 * </ol>
 *
 * <p>A view of another cluster is usable only if a seed gave it, so that a reassigned node address
 * cannot redirect the proxy to another cluster, and only if no node of the known cluster answered.
 * That is how Penstock finds a cluster that was replaced under the same seed names.
 */
final class ViewChoice {

  private final KnownCluster known;
  private final Set<Endpoint> seeds;
  private final Comparator<ClusterView> order;

  /**
   * @param last the node whose view was used last, or null
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

  /** Returns how good the view is for its round. */
  RefreshRound.Rating rate(ClusterView view) {
    if (!isSufficient(view)) {
      return RefreshRound.Rating.INSUFFICIENT;
    }
    return isNewer(view) ? RefreshRound.Rating.NEWER : RefreshRound.Rating.SUFFICIENT;
  }

  /**
   * Returns whether the view has a promotion, or a first slot import of a master, that was not
   * known.
   */
  private boolean isNewer(ClusterView view) {
    return !known.nodes().isEmpty() && view.highestEpoch() > known.highestEpoch();
  }

  /** Returns whether no more nodes need to be queried. */
  boolean isSufficient(ClusterView view) {
    return isUsable(view)
        && known.isSameCluster(view)
        && view.isOfMajority()
        && !known.merge(view).hasStaleClaims();
  }

  /** Returns the view to use, or null if none is usable. */
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
