package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.cluster.Slot;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.core.upstream.NestedPlacement.NestedPartitioner;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys with an odd first byte belong to a cluster of A and B, the others to C. */
class NestedPlacementTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Endpoint C = new Endpoint("c", 1);
  private static final Endpoint C_REPLICA = new Endpoint("c", 2);

  private static final Partitioner BY_FIRST_BYTE =
      new Partitioner() {
        @Override
        public int partitions() {
          return 2;
        }

        @Override
        public int partitionOf(ByteBuf buffer, int offset, int length) {
          return buffer.getByte(offset) & 1;
        }

        @Override
        public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
          return length > 0;
        }
      };

  private static final SlotMap CLUSTER =
      new SlotMap.Builder()
          .shard(new Shard(A, List.of(), 1))
          .range(0, 9_999)
          .shard(new Shard(B, List.of(), 2))
          .range(10_000, 16_382)
          .build();

  private static final SinglePlacement SERVER =
      new SinglePlacement(new Shard(C, List.of(C_REPLICA), 0));

  private static final NestedPartitioner PARTITIONER =
      new NestedPartitioner(
          BY_FIRST_BYTE, List.of(SinglePartitioner.INSTANCE, SlotPartitioner.INSTANCE));

  private final Placement nested = new NestedPlacement(PARTITIONER, List.of(SERVER, CLUSTER));

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void a_key_belongs_to_a_partition_of_its_part() {
    assertThat(nested.partitions()).isEqualTo(1 + 16_384);
    assertThat(nested.partitioner().partitionOf(key("b"))).isZero();
    assertThat(nested.partitioner().partitionOf(key("a"))).isEqualTo(1 + Slot.of(key("a")));
  }

  @Test
  void the_shards_are_those_of_all_parts() {
    assertThat(nested.shards()).extracting(Shard::master).containsExactly(C, A, B);
    assertThat(nested.nodes()).containsExactly(C, C_REPLICA, A, B);
    assertThat(nested.ownerOf(0)).isZero();
    assertThat(nested.ownerOf(1)).isEqualTo(1);
    assertThat(nested.ownerOf(10_001)).isEqualTo(2);
    assertThat(nested.ownerOf(16_384)).isEqualTo(Placement.UNCOVERED);
    assertThat(nested.firstPartitions()).containsExactly(0, 1, 10_001);
    assertThat(nested.coveredPartitions()).isEqualTo(16_384);
    assertThat(nested.isFullyCovered()).isFalse();
  }

  @Test
  void runs_end_where_the_owner_changes() {
    assertThat(nested.endOfRun(0)).isZero();
    assertThat(nested.endOfRun(1)).isEqualTo(10_000);
    assertThat(nested.endOfRun(10_001)).isEqualTo(16_383);
    assertThat(nested.endOfRun(16_384)).isEqualTo(16_384);
  }

  @Test
  void uncovered_partitions_are_one_run_across_parts() {
    Placement unknown =
        new NestedPlacement(
            new NestedPartitioner(
                BY_FIRST_BYTE, List.of(SlotPartitioner.INSTANCE, SlotPartitioner.INSTANCE)),
            List.of(CLUSTER, SlotMap.EMPTY));
    assertThat(unknown.endOfRun(16_383)).isEqualTo(2 * 16_384 - 1);
  }

  @Test
  void placements_nest_more_than_once() {
    var partitioner =
        new NestedPartitioner(BY_FIRST_BYTE, List.of(SinglePartitioner.INSTANCE, PARTITIONER));
    Placement twice = new NestedPlacement(partitioner, List.of(SERVER, nested));
    assertThat(twice.partitioner().partitionOf(key("a"))).isEqualTo(2 + Slot.of(key("a")));
    assertThat(twice.ownerOf(1)).isEqualTo(1);
    assertThat(twice.ownerOf(2)).isEqualTo(2);
  }

  @Test
  void a_pattern_stays_in_a_part_if_its_beginning_decides_so() {
    assertThat(mayLeave(0, "b")).isFalse();
    assertThat(mayLeave(0, "a")).isTrue();
    assertThat(mayLeave(7, "a")).isFalse();
    assertThat(mayLeave(7, "")).isTrue();
    assertThat(SlotPartitioner.INSTANCE.mayLeave(7, Unpooled.EMPTY_BUFFER, 0, 0)).isFalse();
  }

  private static boolean mayLeave(int partition, String text) {
    return PARTITIONER.mayLeave(partition, Unpooled.wrappedBuffer(key(text)), 0, text.length());
  }

  @Test
  void each_part_has_a_bus_of_its_own() {
    assertThat(nested.hasOneBus()).isFalse();
    assertThat(nested.busOf(0)).isZero();
    assertThat(nested.busOf(1)).isEqualTo(1);
    assertThat(nested.busOf(2)).isEqualTo(1);
    assertThat(CLUSTER.hasOneBus()).isTrue();
    assertThat(CLUSTER.busOf(1)).isZero();
  }

  /** The first byte decides between server D and the others. */
  @Test
  void a_part_may_consist_of_others_itself() {
    Endpoint d = new Endpoint("d", 1);
    var outer =
        new NestedPartitioner(BY_FIRST_BYTE, List.of(SinglePartitioner.INSTANCE, PARTITIONER));
    Placement whole =
        new NestedPlacement(
            outer, List.of(new SinglePlacement(new Shard(d, List.of(), 0)), nested));

    assertThat(whole.buses()).isEqualTo(3);
    assertThat(IntStream.range(0, 4).map(whole::busOf)).containsExactly(0, 1, 2, 2);
    assertThat(whole.shards().get(whole.ownerOf(outer.partitionOf(key("b")))).master())
        .isEqualTo(d);
    int slot = Slot.of(key("a"));
    assertThat(outer.partitionOf(key("a"))).isEqualTo(2 + slot);
    assertThat(outer.mayLeave(2 + slot, Unpooled.wrappedBuffer(key("a")), 0, 1)).isFalse();
    assertThat(outer.mayLeave(1, Unpooled.wrappedBuffer(key("a")), 0, 1)).isTrue();
  }

  @Test
  void a_part_without_shards_has_no_bus() {
    var partitioner =
        new NestedPartitioner(
            BY_FIRST_BYTE, List.of(SlotPartitioner.INSTANCE, SinglePartitioner.INSTANCE));
    Placement unknown = new NestedPlacement(partitioner, List.of(SlotMap.EMPTY, SERVER));
    assertThat(unknown.busOf(0)).isEqualTo(1);
  }

  @Test
  void a_node_is_in_one_part() {
    var own = (NestedPlacement) nested;
    assertThat(own.partWith(C_REPLICA)).isZero();
    assertThat(own.partWith(B)).isEqualTo(1);
    assertThat(own.partWith(new Endpoint("d", 1))).isEqualTo(-1);
  }

  @Test
  void the_fingerprint_depends_on_all_parts() {
    Placement same = new NestedPlacement(PARTITIONER, List.of(SERVER, CLUSTER));
    Placement other = new NestedPlacement(PARTITIONER, List.of(SERVER, CLUSTER.withSlotOn(5, B)));
    assertThat(same.fingerprint()).isEqualTo(nested.fingerprint());
    assertThat(same).isEqualTo(nested).hasSameHashCodeAs(nested);
    assertThat(other.fingerprint()).isNotEqualTo(nested.fingerprint());
    assertThat(other).isNotEqualTo(nested);
  }

  @Test
  void a_part_cannot_change_its_number_of_partitions() {
    assertThatThrownBy(() -> new NestedPlacement(PARTITIONER, List.of(CLUSTER, SERVER)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("part 0 has another number of partitions");
  }
}
