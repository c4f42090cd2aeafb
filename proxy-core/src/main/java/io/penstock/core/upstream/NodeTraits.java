package io.penstock.core.upstream;

/**
 * What distinguishes the nodes of an upstream from each other. Asked when a connection is made, not
 * for each request. Safe from any thread.
 */
public interface NodeTraits {

  /** Nodes that need nothing special, and that another node may replace. */
  NodeTraits PLAIN = new NodeTraits() {};

  /**
   * Returns whether the node is part of a Redis Cluster: as a replica it answers reads only on
   * connections that sent {@code READONLY}, and as a master it serves its slots only while the
   * cluster's state is {@code ok}. Always the same for a node.
   */
  default boolean isInCluster(Endpoint node) {
    return false;
  }

  /**
   * Returns whether another node may take over what this one serves. If so, requests for a node
   * that cannot be reached wait in the failover hold; otherwise they wait for the command timeout
   * only. Always the same for a node.
   */
  default boolean isReplaceable(Endpoint node) {
    return true;
  }
}
