package io.penstock.core.topology;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.TopologyStatus;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the cluster: its nodes, and each slot's owner, put together from views over
 * time. Immutable.
 *
 * <p><b>An old view never replaces a newer one.</b> A configuration epoch belongs to a master, only
 * grows, and is new with every promotion and with the first slot a master imports. For each slot,
 * with C the owner that is known and N the view's (or nobody), the view decides when one of these
 * holds:
 *
 * <ol>
 *   <li>no owner is known;
 *   <li>N's epoch is higher than C's: its claim is newer, whoever reports it;
 *   <li>the view is of a majority and has C at its known epoch or a higher one: it has heard
 *       everything that is known of C, and still says N;
 *   <li>the view is of a majority and does not list C: C was forgotten, since a view that is only
 *       late learns of a new node within seconds.
 * </ol>
 *
 * <p>Else C stays: the view is from before C got the slot, or from a node that is cut off. A
 * minority can thus bring news but never take anything back. Rule 3 lets a view that is late by a
 * moment take back a slot that moved without a new epoch (Redis gives the importing master a new
 * one only when it does not have the highest already); the old owner's MOVED then corrects it,
 * while the contrary rule could leave slots on a dead node for ever.
 *
 * <p>Epochs may also go back for good, when a cluster is restored from a backup. What a majority's
 * views say in {@link ClusterTopology#STALE_REFRESHES_TO_ACCEPT} refreshes in a row is therefore
 * taken whatever the epochs.
 */
final class KnownCluster {

  static final KnownCluster NONE = new KnownCluster(Map.of(), new ViewNode[SlotMap.SLOTS]);

  private final Map<String, ViewNode> nodes;
  private final @Nullable ViewNode[] owners;

  private KnownCluster(Map<String, ViewNode> nodes, @Nullable ViewNode[] owners) {
    this.nodes = nodes;
    this.owners = owners;
  }

  /**
   * What a view adds.
   *
   * @param now what is known with it
   * @param decided the slots for which the view's word counts, also where it changed nothing
   * @param hasStaleClaims whether the view wanted a slot elsewhere and was not believed
   */
  record Merged(KnownCluster now, BitSet decided, boolean hasStaleClaims) {}

  Collection<ViewNode> nodes() {
    return nodes.values();
  }

  @Nullable ViewNode byId(String id) {
    return nodes.get(id);
  }

  @Nullable ViewNode ownerOf(int slot) {
    return owners[slot];
  }

  /** The highest epoch of a master with slots at this address; 0 when there is none. */
  long epochOf(Endpoint node) {
    long epoch = 0;
    for (ViewNode known : nodes.values()) {
      if (known.isVotingMaster() && node.equals(known.node())) {
        epoch = Math.max(epoch, known.configEpoch());
      }
    }
    return epoch;
  }

  /** The highest epoch of a master with slots; 0 when there is none. */
  long highestEpoch() {
    long highest = 0;
    for (ViewNode known : nodes.values()) {
      if (known.isVotingMaster()) {
        highest = Math.max(highest, known.configEpoch());
      }
    }
    return highest;
  }

  /**
   * Whether the view is of the same cluster: some node id is known. True while nothing is known.
   */
  boolean isSameCluster(ClusterView view) {
    for (String id : view.nodes().keySet()) {
      if (nodes.containsKey(id)) {
        return true;
      }
    }
    return nodes.isEmpty();
  }

  /** The nodes as operators see them. */
  List<TopologyStatus.Member> members() {
    Map<String, Integer> slots = new HashMap<>();
    for (ViewNode owner : owners) {
      if (owner != null) {
        slots.merge(owner.id(), 1, Integer::sum);
      }
    }
    List<TopologyStatus.Member> members = new ArrayList<>(nodes.size());
    for (ViewNode node : nodes.values()) {
      members.add(
          new TopologyStatus.Member(
              node.id(),
              node.node(),
              node.flags(),
              node.masterId(),
              node.linked(),
              node.configEpoch(),
              slots.getOrDefault(node.id(), 0)));
    }
    return members;
  }

  /** Takes from the view what is not older than what is known, by the rules above. */
  Merged merge(ClusterView view) {
    BitSet decided = new BitSet(SlotMap.SLOTS);
    Map<String, ViewNode> kept = new HashMap<>();
    boolean refused = false;
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      ViewNode known = owners[slot];
      ViewNode seen = view.ownerOf(slot);
      if (known == null || decides(view, known, seen)) {
        decided.set(slot);
      } else if (seen == null || !seen.id().equals(known.id())) {
        kept.put(known.id(), known);
        refused = true;
      }
    }
    return new Merged(with(view, decided, kept), decided, refused);
  }

  /** Takes the view as it is: another cluster's, or one that was repeated often enough. */
  static Merged of(ClusterView view) {
    return NONE.merge(view);
  }

  private static boolean decides(ClusterView view, ViewNode known, @Nullable ViewNode seen) {
    if (seen != null && seen.configEpoch() > known.configEpoch()) {
      return true;
    }
    if (!view.isOfMajority()) {
      return false;
    }
    ViewNode there = view.nodes().get(known.id());
    return there == null || there.configEpoch() >= known.configEpoch();
  }

  private KnownCluster with(ClusterView view, BitSet decided, Map<String, ViewNode> kept) {
    Map<String, ViewNode> all = new LinkedHashMap<>();
    if (!view.isOfMajority()) {
      all.putAll(nodes);
    }
    for (ViewNode seen : view.nodes().values()) {
      ViewNode known = nodes.get(seen.id());
      all.put(seen.id(), known == null ? seen : newest(view, known, seen));
    }
    all.putAll(kept);
    @Nullable ViewNode[] merged = new ViewNode[SlotMap.SLOTS];
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      ViewNode owner = decided.get(slot) ? view.ownerOf(slot) : owners[slot];
      merged[slot] = owner == null ? null : all.get(owner.id());
    }
    return new KnownCluster(all, merged);
  }

  /** A node that is cut off believes everybody else failed; only what it knows newer is taken. */
  private static ViewNode newest(ClusterView view, ViewNode known, ViewNode seen) {
    boolean late = !view.isOfMajority() && seen.configEpoch() <= known.configEpoch();
    return late ? known : seen.completedBy(known);
  }
}
