package io.penstock.core.split;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The placement of an upstream for writes, whose reads go to nodes of others. Its shards have these
 * nodes as replicas. Others may divide the partitions differently: {@link #readShards} has one
 * entry for all partitions that are read at the same nodes. Immutable.
 */
final class SplitPlacement implements Placement {

  private final Placement write;
  private final List<Placement> read;
  private final List<ReadPart> parts;
  private final List<Shard> shards;
  private final List<Shard> readShards;
  private final int @Nullable [] readShardOf; // by partition; null if that is the owner

  /**
   * @param parts what is read at, in the order of {@code read}
   */
  SplitPlacement(Placement write, List<Placement> read, List<ReadPart> parts) {
    this.write = write;
    this.read = List.copyOf(read);
    this.parts = List.copyOf(parts);
    if (this.read.stream().allMatch(each -> each.partitions() == 1)) {
      this.readShardOf = null;
      this.shards = write.shards().stream().map(shard -> readAt(shard, nodes(0))).toList();
      this.readShards = shards;
    } else {
      var groups = new Groups();
      this.readShardOf = groups.ofPartitions();
      this.shards = groups.shards();
      this.readShards = List.copyOf(groups.made);
    }
  }

  /** Finds the partitions that are read at the same nodes. */
  private final class Groups {

    private final Map<List<Integer>, Integer> known = new HashMap<>(); // by the owners
    private final List<Shard> made = new ArrayList<>();
    private final List<Set<Endpoint>> ofShards = new ArrayList<>(); // what each is read at

    int[] ofPartitions() {
      write.shards().forEach(_ -> ofShards.add(new LinkedHashSet<>()));
      int[] groups = new int[write.partitions()];
      for (int i = 0; i < groups.length; i++) {
        int partition = i;
        int owner = write.ownerOf(partition);
        groups[i] =
            owner < 0
                ? UNCOVERED
                : known.computeIfAbsent(owners(owner, i), _ -> make(owner, partition));
      }
      return groups;
    }

    private int make(int owner, int partition) {
      List<Endpoint> nodes = nodes(partition);
      ofShards.get(owner).addAll(nodes);
      made.add(readAt(write.shards().get(owner), nodes));
      return made.size() - 1;
    }

    List<Shard> shards() {
      List<Shard> all = new ArrayList<>();
      for (int i = 0; i < ofShards.size(); i++) {
        all.add(readAt(write.shards().get(i), List.copyOf(ofShards.get(i))));
      }
      return List.copyOf(all);
    }
  }

  private static Shard readAt(Shard shard, List<Endpoint> nodes) {
    return new Shard(shard.master(), nodes, shard.configEpoch());
  }

  private List<Integer> owners(int owner, int partition) {
    List<Integer> owners = new ArrayList<>(read.size() + 1);
    owners.add(owner);
    for (Placement each : read) {
      owners.add(each.ownerOf(each.partitions() == 1 ? 0 : partition));
    }
    return owners;
  }

  /** Returns the nodes that a partition may be read at. */
  private List<Endpoint> nodes(int partition) {
    List<Endpoint> nodes = new ArrayList<>();
    for (int i = 0; i < read.size(); i++) {
      Placement each = read.get(i);
      Shard shard = each.shardOf(each.partitions() == 1 ? 0 : partition);
      if (shard != null) {
        nodes.addAll(parts.get(i).nodesOf(shard));
      }
    }
    return nodes;
  }

  @Override
  public Partitioner partitioner() {
    return write.partitioner();
  }

  @Override
  public boolean isDivided() {
    return write.isDivided();
  }

  @Override
  public boolean mayMigrate() {
    return write.mayMigrate();
  }

  @Override
  public boolean hasSeparateSystems() {
    return write.hasSeparateSystems();
  }

  @Override
  public boolean isOneCluster() {
    return write.isOneCluster();
  }

  @Override
  public int ownerOf(int partition) {
    return write.ownerOf(partition);
  }

  @Override
  public List<Shard> shards() {
    return shards;
  }

  @Override
  public List<Shard> readShards() {
    return readShards;
  }

  @Override
  public int readShardOf(int partition) {
    return readShardOf == null ? write.ownerOf(partition) : readShardOf[partition];
  }

  @Override
  public boolean hasIndependentReplicas(int shard) {
    return true;
  }

  @Override
  public int coveredPartitions() {
    return write.coveredPartitions();
  }

  @Override
  public int[] firstPartitions() {
    return write.firstPartitions();
  }

  @Override
  public int endOfRun(int partition) {
    return write.endOfRun(partition);
  }

  @Override
  public int busOf(int shard) {
    return write.busOf(shard);
  }

  @Override
  public int buses() {
    return write.buses();
  }

  @Override
  public long fingerprint() {
    return write.fingerprint();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SplitPlacement that
        && write.equals(that.write)
        && read.equals(that.read)
        && parts.equals(that.parts);
  }

  @Override
  public int hashCode() {
    return Objects.hash(write, read);
  }

  @Override
  public String toString() {
    return "SplitPlacement[" + write + ", read at " + read + ", " + Arrays.toString(readShardOf);
  }
}
