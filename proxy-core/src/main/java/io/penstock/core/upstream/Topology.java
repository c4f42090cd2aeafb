package io.penstock.core.upstream;

/** An upstream as the data path sees it. All methods are safe from any thread and never block. */
public interface Topology extends NodeTraits {

  /** Returns the latest snapshot: one volatile read. */
  Placement current();

  /**
   * Assigns one partition to another node at once, because a node answered MOVED, and requests a
   * refresh. Does nothing by default: only nodes of a cluster send redirects.
   *
   * @param partition in a cluster the slot, 0 to 16383
   * @param owner the target of the redirect
   */
  default void moved(int partition, Endpoint owner) {}

  /** Returns what error replies of the nodes mean. The same object for the upstream's lifetime. */
  ErrorPolicy errorPolicy();

  /**
   * Returns which replicas may be read now: one volatile read. {@link ReadTargets#EMPTY} if reads
   * go to masters only. Event loops are told of a change like of a new placement.
   */
  default ReadTargets readTargets() {
    return ReadTargets.EMPTY;
  }

  /**
   * Requests a refresh. At most one adaptive refresh starts per interval. Does nothing by default:
   * what never changes is never refreshed.
   */
  default void requestRefresh(RefreshTrigger trigger) {}

  /**
   * A node has rejected a write because it is a replica, and the client got that reply. Does
   * nothing by default: what discovers its nodes finds the master.
   */
  default void demoted(Endpoint node) {}

  /**
   * A node has failed: a connection to it was lost or refused, or it has not answered in time. Does
   * nothing by default.
   *
   * @param loop which failed to reach it, to count failures in a row
   * @param received how many bytes the loop has received from the node so far
   * @param repeated whether the call is repeated while the node does not answer
   */
  default void failed(Endpoint node, Object loop, long received, boolean repeated) {}
}
