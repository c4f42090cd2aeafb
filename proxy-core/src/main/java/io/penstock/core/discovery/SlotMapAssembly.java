package io.penstock.core.discovery;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds the slot map from the known cluster and the redirects that are not overruled.
 *
 * <p>A failed master keeps its slots until another node takes them: commands must wait for the
 * promotion, and not fail because the slot has no owner. A healthy master without slots is a shard
 * too: while it imports a slot, it already has some of its keys. Replicas are listed while they are
 * healthy.
 *
 * <p>Shards keep their previous order, so that the same cluster gives an equal map whichever node
 * described it.
 */
final class SlotMapAssembly {

  private static final Comparator<Endpoint> BY_ADDRESS =
      Comparator.comparing(Endpoint::host).thenComparingInt(Endpoint::port);

  private final KnownCluster known;
  private final Map<Endpoint, BitSet> slotsOf = new LinkedHashMap<>();

  private SlotMapAssembly(KnownCluster known) {
    this.known = known;
  }

  /**
   * @param patches for each slot the target of a redirect, or null
   * @param previous the map with the previous order of shards
   */
  static SlotMap assemble(KnownCluster known, @Nullable Endpoint[] patches, SlotMap previous) {
    SlotMapAssembly assembly = new SlotMapAssembly(known);
    assembly.assignSlots(patches);
    assembly.addIdleMasters();
    return assembly.build(previous);
  }

  private void assignSlots(@Nullable Endpoint[] patches) {
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      ViewNode owner = known.ownerOf(slot);
      Endpoint node = patches[slot] != null || owner == null ? patches[slot] : owner.node();
      if (node != null) {
        slotsOf.computeIfAbsent(node, n -> new BitSet(SlotMap.SLOTS)).set(slot);
      }
    }
  }

  private void addIdleMasters() {
    List<Endpoint> idle = new ArrayList<>();
    for (ViewNode node : known.nodes()) {
      if (node.isMaster() && node.slots().isEmpty() && node.isHealthy() && node.node() != null) {
        idle.add(node.node());
      }
    }
    idle.sort(BY_ADDRESS);
    for (Endpoint node : idle) {
      slotsOf.putIfAbsent(node, new BitSet());
    }
  }

  private SlotMap build(SlotMap previous) {
    SlotMap.Builder builder = new SlotMap.Builder();
    for (Shard shard : previous.shards()) {
      BitSet slots = slotsOf.remove(shard.master());
      if (slots != null) {
        add(builder, shard.master(), slots);
      }
    }
    for (Map.Entry<Endpoint, BitSet> entry : slotsOf.entrySet()) {
      add(builder, entry.getKey(), entry.getValue());
    }
    return builder.build();
  }

  private void add(SlotMap.Builder builder, Endpoint master, BitSet slots) {
    builder.shard(new Shard(master, replicasOf(master), known.epochOf(master)));
    for (int first = slots.nextSetBit(0); first >= 0; ) {
      int end = slots.nextClearBit(first);
      builder.range(first, end - 1);
      first = slots.nextSetBit(end);
    }
  }

  private List<Endpoint> replicasOf(Endpoint master) {
    List<Endpoint> replicas = new ArrayList<>();
    for (ViewNode node : known.nodes()) {
      ViewNode followed = node.masterId() == null ? null : known.byId(node.masterId());
      if (followed != null
          && master.equals(followed.node())
          && node.isHealthy()
          && node.node() != null) {
        replicas.add(node.node());
      }
    }
    replicas.sort(BY_ADDRESS);
    return replicas;
  }
}
