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
  private final List<Placement> parts;
  private final SplitReads read;
  private final List<Shard> shards;
  private final boolean[] readsMaster; // by shard
  private final List<Shard> readShards;
  private final List<Map<Endpoint, Integer>> ranks; // by read shard
  private final int @Nullable [] readShardOf; // by partition; null if that is the owner

  /**
   * @param parts the placements of all parts: first the one for writes
   */
  SplitPlacement(List<Placement> parts, SplitReads read) {
    this.write = parts.getFirst();
    this.parts = List.copyOf(parts);
    this.read = read;
    var groups = new Groups();
    boolean alike = read.numbers().stream().allMatch(number -> number == 0 || isUndivided(number));
    this.readShardOf = alike ? null : groups.ofPartitions();
    if (alike) {
      groups.ofShards();
    }
    this.shards = groups.shards();
    this.readsMaster = groups.readsMaster();
    this.readShards = alike ? shards : List.copyOf(groups.made);
    this.ranks = List.copyOf(groups.ranks);
  }

  private boolean isUndivided(int part) {
    return parts.get(part).partitions() == 1;
  }

  /** Finds the partitions that are read at the same nodes. */
  private final class Groups {

    private final Map<List<Integer>, Integer> known = new HashMap<>(); // by the owners
    private final List<Shard> made = new ArrayList<>();
    private final List<Map<Endpoint, Integer>> ranks = new ArrayList<>(); // of those made
    private final List<Set<Endpoint>> ofShards = new ArrayList<>(); // what each is read at

    Groups() {
      write.shards().forEach(_ -> ofShards.add(new LinkedHashSet<>()));
    }

    int[] ofPartitions() {
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

    /** All partitions of a shard are read at the same nodes. */
    void ofShards() {
      int[] first = write.firstPartitions();
      for (int i = 0; i < first.length; i++) {
        make(i, Math.max(0, first[i]));
      }
    }

    private int make(int owner, int partition) {
      Map<Endpoint, Integer> nodes = read.nodes(owner, partition, parts);
      ofShards.get(owner).addAll(nodes.keySet());
      made.add(SplitReads.readAt(write.shards().get(owner), nodes.keySet()));
      ranks.add(Map.copyOf(nodes));
      return made.size() - 1;
    }

    List<Shard> shards() {
      List<Shard> all = new ArrayList<>();
      for (int i = 0; i < ofShards.size(); i++) {
        all.add(SplitReads.readAt(write.shards().get(i), ofShards.get(i)));
      }
      return List.copyOf(all);
    }

    boolean[] readsMaster() {
      boolean[] reads = new boolean[ofShards.size()];
      for (int i = 0; i < reads.length; i++) {
        reads[i] = ofShards.get(i).contains(write.shards().get(i).master());
      }
      return reads;
    }
  }

  private List<Integer> owners(int owner, int partition) {
    List<Integer> owners = read.owners(partition, parts);
    owners.add(owner);
    return owners;
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
    return !read.isOfOwnReplicas() || write.hasIndependentReplicas(shard);
  }

  @Override
  public boolean readsMaster(int shard) {
    return readsMaster[shard];
  }

  @Override
  public int readRank(int readShard, Endpoint node) {
    return ranks.get(readShard).getOrDefault(node, 0);
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
        && parts.equals(that.parts)
        && read.equals(that.read);
  }

  @Override
  public int hashCode() {
    return Objects.hash(parts, read);
  }

  @Override
  public String toString() {
    return "SplitPlacement[" + parts + ", " + read + ", " + Arrays.toString(readShardOf) + "]";
  }
}
