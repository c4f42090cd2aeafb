package io.penstock.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotMapTest {

  private static final Endpoint A = new Endpoint("10.0.0.1", 7000);
  private static final Endpoint B = new Endpoint("10.0.0.2", 7000);

  private final SlotMap map =
      new SlotMap.Builder()
          .shard(new Shard(A, List.of(), 1))
          .range(0, 99)
          .shard(new Shard(B, List.of(), 2))
          .slot(200)
          .build();

  @Test
  void knows_owners_and_gaps() {
    assertThat(map.ownerOf(99)).isZero();
    assertThat(map.ownerOf(200)).isEqualTo(1);
    assertThat(map.ownerOf(100)).isEqualTo(SlotMap.UNCOVERED);
    assertThat(map.shardOf(100)).isNull();
    assertThat(map.coveredPartitions()).isEqualTo(101);
    assertThat(map.isFullyCovered()).isFalse();
    assertThat(SlotMaps.oneMaster(A).isFullyCovered()).isTrue();
    assertThat(SlotMap.EMPTY.coveredPartitions()).isZero();
  }

  @Test
  void knows_the_first_slot_of_each_shard() {
    assertThat(map.firstPartitions()).containsExactly(0, 200);
    assertThat(map.withSlotOn(50, B).firstPartitions()).containsExactly(0, 50);
    assertThat(SlotMaps.oneMaster(A).withSlotOn(0, B).firstPartitions()).containsExactly(1, 0);
    SlotMap idle = new SlotMap.Builder().shard(new Shard(A, List.of(), 1)).build();
    assertThat(idle.firstPartitions()).containsExactly(SlotMap.UNCOVERED);
  }

  @Test
  void a_slot_moves_in_a_copy() {
    SlotMap moved = map.withSlotOn(5, B);
    assertThat(moved.ownerOf(5)).isEqualTo(1);
    assertThat(map.ownerOf(5)).isZero();
    assertThat(moved.shards()).isSameAs(map.shards());
    assertThat(moved).isNotEqualTo(map);
    assertThat(moved.withSlotOn(5, A)).isEqualTo(map);
    assertThat(moved.withSlotOn(5, B)).isSameAs(moved);
  }

  @Test
  void an_unknown_owner_becomes_a_new_shard() {
    Endpoint unknown = new Endpoint("10.0.0.3", 7000);
    SlotMap moved = map.withSlotOn(300, unknown);
    assertThat(moved.shards()).hasSize(3);
    assertThat(moved.ownerOf(300)).isEqualTo(2);
    assertThat(moved.coveredPartitions()).isEqualTo(102);
  }

  @Test
  void a_node_is_an_address() {
    assertThat(new Endpoint("::1", 7000)).hasToString("[::1]:7000");
    assertThat(A).hasToString("10.0.0.1:7000");
    assertThatThrownBy(() -> new Endpoint("", 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Endpoint("a", 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Endpoint("a", 65_536))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void writesSlotsAsRedisDoes() {
    SlotMap map =
        new SlotMap.Builder()
            .shard(new Shard(new Endpoint("a", 1), List.of(), 0))
            .range(0, 5460)
            .slot(7000)
            .range(16_380, 16_383)
            .shard(new Shard(new Endpoint("b", 2), List.of(), 0))
            .slot(5461)
            .shard(new Shard(new Endpoint("c", 3), List.of(), 0))
            .build();

    assertThat(ShownSlots.rangesOf(map, 0)).containsExactly("0-5460", "7000", "16380-16383");
    assertThat(ShownSlots.rangesOf(map, 1)).containsExactly("5461");
    assertThat(ShownSlots.rangesOf(map, 2)).isEmpty();
    assertThat(ShownSlots.rangesOf(map, SlotMap.UNCOVERED))
        .containsExactly("5462-6999", "7001-16379");
  }
}
