package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cluster as one of its nodes describes it. Immutable. */
public final class ClusterView {

  private final Endpoint source;
  private final Map<String, ViewNode> nodes = new LinkedHashMap<>();
  private final @Nullable ViewNode[] owners = new ViewNode[SlotMap.SLOTS];
  private final int covered;
  private final long highestEpoch;
  private final boolean ofMajority;

  /**
   * @param source the node that gave the view, by the address that was queried
   */
  ClusterView(Endpoint source, List<ViewNode> nodes) {
    this.source = source;
    long highest = 0;
    int voting = 0;
    int reachable = 0;
    for (ViewNode node : nodes) {
      this.nodes.put(node.id(), node);
      if (node.isVotingMaster()) {
        highest = Math.max(highest, node.configEpoch());
        voting++;
        reachable += node.isReachable() ? 1 : 0;
      }
      claim(node);
    }
    this.highestEpoch = highest;
    this.ofMajority = reachable > voting / 2;
    int count = 0;
    for (ViewNode owner : owners) {
      count += owner == null ? 0 : 1;
    }
    this.covered = count;
  }

  /**
   * A node never lists a slot twice. If it does, the claim with the higher epoch counts, as between
   * nodes.
   */
  private void claim(ViewNode node) {
    BitSet slots = node.slots();
    for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
      ViewNode other = owners[slot];
      if (other == null || other.configEpoch() < node.configEpoch()) {
        owners[slot] = node;
      }
    }
  }

  Endpoint source() {
    return source;
  }

  /** Returns the nodes by id, in the order of the reply. */
  Map<String, ViewNode> nodes() {
    return nodes;
  }

  @Nullable ViewNode ownerOf(int slot) {
    return owners[slot];
  }

  int coveredSlots() {
    return covered;
  }

  /** Returns the highest configuration epoch of a master with slots. */
  public long highestEpoch() {
    return highestEpoch;
  }

  /**
   * Returns whether the node reaches more than half of the masters that serve slots. A node that is
   * partitioned off, or has just started alone, does not: its view may be outdated.
   */
  public boolean isOfMajority() {
    return ofMajority;
  }
}
