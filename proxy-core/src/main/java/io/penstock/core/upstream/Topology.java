package io.penstock.core.upstream;

/** The data path's view of an upstream. All methods are safe from any thread and never block. */
public interface Topology {

  /** The newest snapshot: one volatile read. */
  Placement current();

  /**
   * Patches one partition at once because a node answered MOVED, and asks for a refresh.
   *
   * @param partition in a cluster the slot, 0 to 16383
   * @param owner the node the redirect names
   */
  void moved(int partition, Endpoint owner);

  /** What its servers' error replies mean, the same for the whole life. */
  ErrorPolicy errorPolicy();

  /** Which server of a shard is asked, the same for the whole life. */
  default ReadPolicy readPolicy() {
    return ReadPolicy.MASTER_ONLY;
  }

  /** Asks for a refresh; at most one adaptive refresh begins per interval. */
  void requestRefresh(RefreshTrigger trigger);
}
