package io.penstock.core.topology;

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
 * Draws the slot map of what is known and of the redirects that outlive it.
 *
 * <p>A master that failed keeps its slots until another takes them: commands must wait for the
 * promotion, not be told that nobody serves the slot. A healthy master without slots is a shard
 * too: while a slot is being imported, some of its keys are there already. Replicas are listed
 * while they are healthy.
 *
 * <p>Shards keep the order they had, so that the same cluster gives an equal map whoever described
 * it.
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
   * @param patches for each slot the node a redirect named, or null
   * @param previous whose order of shards is kept
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
