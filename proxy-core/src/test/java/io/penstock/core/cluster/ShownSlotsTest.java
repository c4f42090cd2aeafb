package io.penstock.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.UnknownPlacement;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShownSlotsTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 2);

  @Test
  void a_single_server_is_shown_with_every_slot() {
    Placement single = new SinglePlacement(A);
    assertThat(ShownSlots.covered(single)).isEqualTo(16_384);
    assertThat(ShownSlots.rangesOf(single, 0)).containsExactly("0-16383");
    assertThat(ShownSlots.rangesOf(single, Placement.UNCOVERED)).isEmpty();
  }

  @Test
  void an_unknown_topology_covers_no_slot() {
    assertThat(ShownSlots.covered(UnknownPlacement.INSTANCE)).isZero();
    assertThat(ShownSlots.rangesOf(UnknownPlacement.INSTANCE, Placement.UNCOVERED))
        .containsExactly("0-16383");
  }

  @Test
  void the_partitions_of_a_cluster_are_its_slots() {
    SlotMap map =
        new SlotMap.Builder()
            .shard(new Shard(A, List.of(), 1))
            .range(0, 99)
            .shard(new Shard(B, List.of(), 1))
            .slot(200)
            .build();
    assertThat(ShownSlots.covered(map)).isEqualTo(101);
    assertThat(ShownSlots.first(map, 200)).isEqualTo(200);
    assertThat(ShownSlots.last(map, 99)).isEqualTo(99);
    assertThat(ShownSlots.rangesOf(map, 0)).containsExactly("0-99");
    assertThat(ShownSlots.rangesOf(map, 1)).containsExactly("200");
  }
}
