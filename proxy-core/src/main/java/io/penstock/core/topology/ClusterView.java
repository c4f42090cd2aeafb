package io.penstock.core.topology;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cluster as one of its nodes described it. Immutable. */
final class ClusterView {

  private final Endpoint source;
  private final Map<String, ViewNode> nodes = new LinkedHashMap<>();
  private final @Nullable ViewNode[] owners = new ViewNode[SlotMap.SLOTS];
  private final int covered;
  private final long highestEpoch;
  private final boolean ofMajority;

  /**
   * @param asked the node that gave the view, under the address it was asked at
   */
  ClusterView(Endpoint asked, List<ViewNode> nodes) {
    this.source = asked;
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
   * No node lists a slot twice; should one do so, the newer claim counts, as it does among nodes.
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

  /** By id, in the order they were listed. */
  Map<String, ViewNode> nodes() {
    return nodes;
  }

  @Nullable ViewNode ownerOf(int slot) {
    return owners[slot];
  }

  int coveredSlots() {
    return covered;
  }

  /** The highest configuration epoch of a master with slots. */
  long highestEpoch() {
    return highestEpoch;
  }

  /**
   * Whether the asked node reaches more than half of the masters that serve slots. A node that was
   * cut off, or has just been started alone, does not: what it says may be long over.
   */
  boolean isOfMajority() {
    return ofMajority;
  }
}
