package io.penstock.core.upstream;

/** An upstream as the data path sees it. All methods are safe from any thread and never block. */
public interface Topology {

  /** Returns the latest snapshot: one volatile read. */
  Placement current();

  /**
   * Assigns one partition to another node at once, because a node answered MOVED, and requests a
   * refresh.
   *
   * @param partition in a cluster the slot, 0 to 16383
   * @param owner the target of the redirect
   */
  void moved(int partition, Endpoint owner);

  /** Returns what error replies of the nodes mean. The same object for the upstream's lifetime. */
  ErrorPolicy errorPolicy();

  /**
   * Returns the policy that selects a node of a shard. The same object for the upstream's lifetime.
   */
  default ReadPolicy readPolicy() {
    return ReadPolicy.MASTER_ONLY;
  }

  /** Requests a refresh. At most one adaptive refresh starts per interval. */
  void requestRefresh(RefreshTrigger trigger);
}
