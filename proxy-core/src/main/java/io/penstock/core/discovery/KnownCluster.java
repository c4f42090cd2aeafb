package io.penstock.core.discovery;

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
 * What is known of the cluster: its nodes and each slot's owner, merged from successive views.
 * Immutable.
 *
 * <p><b>An old view never replaces a newer one.</b> A configuration epoch belongs to a master and
 * only grows. A master gets a new one with each promotion, and with the first slot that it imports.
 * For each slot, let C be the known owner and N the owner in the view (possibly none). The view
 * decides if one of these is true:
 *
 * <ol>
 *   <li>no owner is known;
 *   <li>N's epoch is higher than C's: its claim is newer, whichever node reports it;
 *   <li>the view is of a majority and has C at its known epoch or a higher one: the view includes
 *       everything that is known of C, and still has N;
 *   <li>the view is of a majority and does not list C: C was removed from the cluster ({@code
 *       CLUSTER FORGET}). A view that is merely late learns of a new node within seconds.
 * </ol>
 *
 * <p>Otherwise C stays: the view is from before C got the slot, or from a node that is partitioned
 * off. So a minority can add newer claims but never revert one. By rule 3, a view that is slightly
 * late can revert a slot that moved without a new epoch (Redis gives the importing master a new
 * epoch only if it does not have the highest already). The old owner's MOVED then corrects it. The
 * opposite rule could leave slots on a dead node for ever.
 *
 * <p>Epochs can also decrease permanently, when a cluster is restored from a backup. Therefore the
 * view of a majority is accepted whatever its epochs after {@link
 * ClusterTopology#STALE_REFRESHES_TO_ACCEPT} refreshes in a row.
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
   * The result of merging a view.
   *
   * @param now the known cluster with the view merged
   * @param decided the slots that the view decides, including those that it leaves unchanged
   * @param hasStaleClaims whether the view has another owner for some slot that it does not decide
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

  /** Returns the highest epoch of a master with slots at this address; 0 if there is none. */
  long epochOf(Endpoint node) {
    long epoch = 0;
    for (ViewNode known : nodes.values()) {
      if (known.isVotingMaster() && node.equals(known.node())) {
        epoch = Math.max(epoch, known.configEpoch());
      }
    }
    return epoch;
  }

  /** Returns the highest epoch of a master with slots; 0 if there is none. */
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
   * Returns whether the view is of the same cluster: at least one node id is known. True while
   * nothing is known.
   */
  boolean isSameCluster(ClusterView view) {
    for (String id : view.nodes().keySet()) {
      if (nodes.containsKey(id)) {
        return true;
      }
    }
    return nodes.isEmpty();
  }

  /** Returns the nodes for the status. */
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

  /** Merges a view by the rules above. */
  Merged merge(ClusterView view) {
    BitSet decided = new BitSet(SlotMap.SLOTS);
    Map<String, ViewNode> kept = new HashMap<>();
    boolean hasStaleClaims = false;
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      ViewNode known = owners[slot];
      ViewNode seen = view.ownerOf(slot);
      if (known == null || decides(view, known, seen)) {
        decided.set(slot);
      } else if (seen == null || !seen.id().equals(known.id())) {
        kept.put(known.id(), known);
        hasStaleClaims = true;
      }
    }
    return new Merged(with(view, decided, kept), decided, hasStaleClaims);
  }

  /** Takes the whole view: it is of another cluster, or was repeated often enough. */
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
      all.put(seen.id(), known == null ? seen : latest(view, known, seen));
    }
    all.putAll(kept);
    @Nullable ViewNode[] merged = new ViewNode[SlotMap.SLOTS];
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      ViewNode owner = decided.get(slot) ? view.ownerOf(slot) : owners[slot];
      merged[slot] = owner == null ? null : all.get(owner.id());
    }
    return new KnownCluster(all, merged);
  }

  /**
   * Returns the newer description of a node. A node that is partitioned off considers all others
   * failed, so from a minority only descriptions with a higher epoch are taken.
   */
  private static ViewNode latest(ClusterView view, ViewNode known, ViewNode seen) {
    boolean late = !view.isOfMajority() && seen.configEpoch() <= known.configEpoch();
    return late ? known : seen.completedBy(known);
  }
}
