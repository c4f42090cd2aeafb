package io.penstock.core.split;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.division.WeightedDivision;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NestedPlacement;
import io.penstock.core.upstream.NestedPlacement.NestedPartitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePartitioner;
import io.penstock.core.upstream.SinglePlacement;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Writes go to a cluster of A and B, reads to one of C and D, and to server E. */
class SplitPlacementTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Endpoint C = new Endpoint("c", 1);
  private static final Endpoint C_REPLICA = new Endpoint("c", 2);
  private static final Endpoint D = new Endpoint("d", 1);
  private static final Endpoint E = new Endpoint("e", 1);

  private static final SlotMap WRITE = cluster(A, List.of(), B, 8_000);
  private static final SlotMap READ = cluster(C, List.of(C_REPLICA), D, 10_000);

  private static SlotMap cluster(Endpoint one, List<Endpoint> replicas, Endpoint two, int end) {
    return new SlotMap.Builder()
        .shard(new Shard(one, replicas, 1))
        .range(0, end)
        .shard(new Shard(two, List.of(), 2))
        .range(end + 1, 16_382)
        .build();
  }

  private static ReadPart part(boolean masters, boolean replicas) {
    return new ReadPart(new SingleUpstreamSettings(E, null, 0), masters, replicas);
  }

  private static SplitPlacement split(List<Placement> read, List<ReadPart> parts) {
    return split(WRITE, read, parts);
  }

  private static SplitPlacement split(Placement write, List<Placement> read, List<ReadPart> parts) {
    List<Integer> numbers = IntStream.rangeClosed(1, read.size()).boxed().toList();
    return new SplitPlacement(
        Stream.concat(Stream.of(write), read.stream()).toList(),
        new SplitReads(parts, numbers, false));
  }

  private static Placement single(Endpoint node) {
    return new SinglePlacement(new Shard(node, List.of(), 0));
  }

  private static List<Endpoint> readAt(Placement placement, int slot) {
    return placement.readShards().get(placement.readShardOf(slot)).replicas();
  }

  @Test
  void a_partition_is_read_at_the_nodes_that_have_it() {
    var split = split(List.of(READ, single(E)), List.of(part(true, false), part(true, false)));

    assertThat(readAt(split, 0)).containsExactly(C, E);
    assertThat(readAt(split, 9_000)).containsExactly(C, E);
    assertThat(readAt(split, 11_000)).containsExactly(D, E);
    assertThat(split.readShards()).hasSize(3);
    assertThat(split.readShards().get(split.readShardOf(9_000)).master()).isEqualTo(B);
    assertThat(split.readShardOf(16_383)).isEqualTo(Placement.UNCOVERED);
    assertThat(split.masters()).containsExactly(A, B);
    assertThat(split.nodes()).containsExactly(A, C, E, B, D);
    assertThat(split.coveredPartitions()).isEqualTo(16_383);
  }

  @Test
  void replicas_of_others_may_be_read_alone() {
    var split = split(List.of(READ), List.of(part(false, true)));

    assertThat(readAt(split, 0)).containsExactly(C_REPLICA);
    assertThat(readAt(split, 11_000)).isEmpty();
  }

  @Test
  void servers_without_partitions_are_read_for_all_shards() {
    var split = split(List.of(single(E)), List.of(part(true, false)));

    assertThat(split.readShards()).isEqualTo(split.shards()).hasSize(2);
    assertThat(readAt(split, 9_000)).containsExactly(E);
  }

  @Test
  void the_upstream_for_writes_may_be_read_too() {
    SlotMap own = cluster(A, List.of(C_REPLICA), B, 8_000);
    var parts = List.of(part(true, true), part(true, false));
    var split =
        new SplitPlacement(List.of(own, single(E)), new SplitReads(parts, List.of(0, 1), false));

    assertThat(readAt(split, 0)).containsExactly(C_REPLICA, E);
    assertThat(readAt(split, 9_000)).containsExactly(E);
    assertThat(split.readsMaster(0)).isTrue();
    assertThat(split.readsMaster(1)).isTrue();
    assertThat(split.hasIndependentReplicas(0)).isTrue();
    assertThat(split(List.of(READ), List.of(part(true, false))).readsMaster(0)).isFalse();
  }

  @Test
  void its_own_replicas_alone_are_judged_as_such() {
    SlotMap own = cluster(A, List.of(C_REPLICA), B, 8_000);
    var split =
        new SplitPlacement(
            List.of(own), new SplitReads(List.of(part(false, true)), List.of(0), false));

    assertThat(readAt(split, 0)).containsExactly(C_REPLICA);
    assertThat(split.readsMaster(0)).isFalse();
    assertThat(split.hasIndependentReplicas(0)).isFalse();
  }

  @Test
  void without_anything_to_read_at_no_replica_is_left() {
    SlotMap own = cluster(A, List.of(C_REPLICA), B, 8_000);
    var split = new SplitPlacement(List.of(own), new SplitReads(List.of(), List.of(), false));

    assertThat(split.nodes()).containsExactly(A, B);
  }

  @Test
  void what_comes_first_in_order_has_the_lowest_rank() {
    var parts = List.of(part(true, true), part(true, false), part(true, false));
    var split =
        new SplitPlacement(
            List.of(WRITE, READ, single(E)), new SplitReads(parts, List.of(1, 2, 0), true));
    var alike =
        new SplitPlacement(
            List.of(WRITE, READ, single(E)), new SplitReads(parts, List.of(1, 2, 0), false));

    int group = split.readShardOf(9_000);
    assertThat(split.readRank(group, C)).isZero();
    assertThat(split.readRank(group, C_REPLICA)).isZero();
    assertThat(split.readRank(group, E)).isEqualTo(1);
    assertThat(split.readRank(group, B)).isEqualTo(2);
    assertThat(split.readRank(split.readShardOf(11_000), D)).isZero();
    assertThat(alike.readRank(group, B)).isZero();
    assertThat(split).isNotEqualTo(alike);
  }

  @Test
  void a_change_of_what_is_read_is_another_placement() {
    List<ReadPart> parts = List.of(part(true, false));
    var split = split(List.of(READ), parts);

    assertThat(split)
        .isEqualTo(split(List.of(READ), parts))
        .isNotEqualTo(split(List.of(READ.withSlotOn(7, D)), parts));
    assertThat(split.fingerprint()).isEqualTo(WRITE.fingerprint());
  }

  @Test
  void a_part_of_another_upstream_is_read_where_it_would_be_alone() {
    var split = split(single(A), List.of(single(E)), List.of(part(true, false)));
    var partitioner =
        new NestedPartitioner(
            new WeightedDivision(List.of(1, 1)).partitioner(),
            List.of(SinglePartitioner.INSTANCE, SinglePartitioner.INSTANCE));
    Placement whole = new NestedPlacement(partitioner, List.of(single(B), split));

    assertThat(readAt(whole, 0)).isEmpty();
    assertThat(readAt(whole, 1)).containsExactly(E);
    assertThat(whole.hasIndependentReplicas(0)).isFalse();
    assertThat(whole.hasIndependentReplicas(1)).isTrue();
  }
}
