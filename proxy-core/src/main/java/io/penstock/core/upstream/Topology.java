package io.penstock.core.upstream;

/** The data path's view of the cluster. All methods are safe from any thread and never block. */
public interface Topology {

  /** The newest snapshot: one volatile read. */
  Placement current();

  /**
   * Patches one slot at once because a node answered MOVED, and asks for a refresh.
   *
   * @param slot 0 to 16383
   * @param owner the node the redirect names
   */
  void moved(int slot, Endpoint owner);

  /** Asks for a refresh; at most one adaptive refresh begins per interval. */
  void requestRefresh(RefreshTrigger trigger);
}
