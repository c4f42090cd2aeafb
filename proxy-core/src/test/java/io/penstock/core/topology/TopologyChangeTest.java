package io.penstock.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopologyChangeTest {

  private static final Endpoint A = new Endpoint("10.0.0.1", 1);
  private static final Endpoint B = new Endpoint("10.0.0.2", 1);
  private static final Endpoint C = new Endpoint("10.0.0.3", 1);

  private static SlotMap.Builder shard(SlotMap.Builder map, Endpoint master, Endpoint... replicas) {
    return map.shard(new Shard(master, List.of(replicas), 1));
  }

  private static SlotMap.Builder map() {
    return new SlotMap.Builder();
  }

  private static SlotMap halves(Endpoint first, Endpoint second, Endpoint... replicas) {
    return shard(shard(map(), first, replicas).range(0, 8191), second).range(8192, 16383).build();
  }

  @Test
  void theFirstTopologyIsDescribed() {
    assertThat(TopologyChange.text(SlotMap.EMPTY, halves(A, B, C)))
        .isEqualTo("2 masters, 1 replica, 16384 of 16384 slots have a master");
  }

  @Test
  void theOldAndTheNewMasterAreNamed() {
    assertThat(TopologyChange.text(halves(A, B), halves(C, B)))
        .isEqualTo("master of slots 0-8191 is now 10.0.0.3:1, was 10.0.0.1:1");
  }

  @Test
  void slotsThatMovedToAnotherMasterAreNamedTogether() {
    SlotMap now =
        halves(A, B).withSlotOn(1, B).withSlotOn(2, B).withSlotOn(7, B).withSlotOn(9000, A);

    assertThat(TopologyChange.text(halves(A, B), now))
        .isEqualTo(
            "master of slots 1-2,7 is now 10.0.0.2:1, was 10.0.0.1:1;"
                + " master of slots 9000 is now 10.0.0.1:1, was 10.0.0.2:1");
  }

  @Test
  void onlyTheFirstOfManyRangesAreNamed() {
    SlotMap now = halves(A, B);
    for (int slot = 0; slot < 20; slot += 2) {
      now = now.withSlotOn(slot, B);
    }

    assertThat(TopologyChange.text(halves(A, B), now))
        .isEqualTo("master of slots 0,2,4,6,8,... is now 10.0.0.2:1, was 10.0.0.1:1");
  }

  @Test
  void slotsWithoutMasterAreNamed() {
    SlotMap half = shard(map(), A).range(0, 8191).build();

    assertThat(TopologyChange.text(halves(A, B), half))
        .isEqualTo("slots 8192-16383 have no master now, was 10.0.0.2:1");
    assertThat(TopologyChange.text(half, halves(A, B)))
        .isEqualTo("master of slots 8192-16383 is now 10.0.0.2:1");
  }

  @Test
  void anAddedOrRemovedReplicaIsNamedAndLeavesTheMastersUnchanged() {
    String masters = ", 16384 of 16384 slots have a master; masters unchanged";
    assertThat(TopologyChange.text(halves(A, B), halves(A, B, C)))
        .isEqualTo("2 masters, 1 replica" + masters + "; replicas new: " + C);
    assertThat(TopologyChange.text(halves(A, B, C), halves(A, B)))
        .isEqualTo("2 masters, 0 replicas" + masters + "; replicas gone: " + C);
  }
}
