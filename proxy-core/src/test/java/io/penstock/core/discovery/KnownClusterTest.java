package io.penstock.core.discovery;

import static io.penstock.core.discovery.Views.A;
import static io.penstock.core.discovery.Views.B;
import static io.penstock.core.discovery.Views.C;
import static io.penstock.core.discovery.Views.D;
import static io.penstock.core.discovery.Views.knowing;
import static io.penstock.core.discovery.Views.map;
import static io.penstock.core.discovery.Views.view;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.TopologyStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownClusterTest {

  @Test
  void a_view_becomes_a_map() {
    SlotMap map = map(knowing(Views.HEALTHY));
    assertThat(map.shards())
        .containsExactly(
            new Shard(A, List.of(D), 1), new Shard(B, List.of(), 2), new Shard(C, List.of(), 3));
    assertThat(map.isFullyCovered()).isTrue();
    assertThat(owner(map, 5460)).isEqualTo(A);
    assertThat(owner(map, 5461)).isEqualTo(B);
  }

  @Test
  void a_failed_master_keeps_its_slots_until_a_replica_is_promoted() {
    KnownCluster failed = knowing(Views.HEALTHY).merge(view(Views.A_FAILED)).now();
    assertThat(owner(map(failed), 0)).isEqualTo(A);
    KnownCluster promoted = failed.merge(view(Views.D_PROMOTED)).now();
    assertThat(owner(map(promoted), 0)).isEqualTo(D);
    assertThat(map(promoted).indexOfMaster(A)).isEqualTo(-1);
  }

  @Test
  void a_late_view_does_not_undo_a_promotion() {
    KnownCluster.Merged merged = knowing(Views.D_PROMOTED).merge(view(Views.HEALTHY));
    assertThat(merged.hasStaleClaims()).isTrue();
    assertThat(merged.decided().get(0)).isFalse();
    assertThat(merged.decided().get(6000)).isTrue();
    SlotMap map = map(merged.now());
    assertThat(owner(map, 0)).isEqualTo(D);
    assertThat(requireNonNull(map.shardOf(0)).configEpoch()).isEqualTo(4);
    assertThat(map.shards()).hasSize(3);
  }

  @Test
  void a_late_view_does_not_undo_a_reshard() {
    assertThat(owner(map(knowing(Views.SLOT_0_ON_B).merge(view(Views.HEALTHY)).now()), 0))
        .isEqualTo(B);
  }

  @Test
  void a_late_view_still_adds_its_newer_claims() {
    KnownCluster knownPromotion = knowing(Views.D_PROMOTED);
    KnownCluster merged = knownPromotion.merge(view(Views.SLOT_0_ON_B)).now();
    assertThat(owner(map(merged), 0)).as("epoch 5 beats epoch 4").isEqualTo(B);
    assertThat(owner(map(merged), 1)).as("epoch 1 does not").isEqualTo(D);
  }

  @Test
  void a_minority_adds_newer_claims_but_reverts_none() {
    String minorityWithNews =
        """
        a 10.0.0.1:7000@17000 master,fail? - 0 0 1 disconnected
        b 10.0.0.2:7000@17000 master,fail? - 0 0 2 disconnected
        c 10.0.0.3:7000@17000 master,fail? - 0 0 3 disconnected 10923-16383
        d 10.0.0.4:7000@17000 myself,master - 0 0 4 connected 0-5460
        """;
    KnownCluster.Merged merged = knowing(Views.HEALTHY).merge(view(minorityWithNews));
    SlotMap map = map(merged.now());
    assertThat(owner(map, 0)).isEqualTo(D);
    assertThat(owner(map, 6000)).as("uncovered for the minority").isEqualTo(B);
    assertThat(merged.hasStaleClaims()).isTrue();
  }

  @Test
  void a_minority_does_not_make_the_others_unhealthy() {
    String cutOff = Views.A_ALONE.replace("slave a 0 0 1 dis", "slave,fail? a 0 0 1 dis");
    assertThat(map(knowing(Views.HEALTHY).merge(view(cutOff)).now()))
        .isEqualTo(map(knowing(Views.HEALTHY)));
  }

  @Test
  void slots_without_an_owner_become_uncovered() {
    String without0 = Views.HEALTHY.replace("connected 0-5460", "connected 1-5460");
    SlotMap map = map(knowing(Views.HEALTHY).merge(view(without0)).now());
    assertThat(map.ownerOf(0)).isEqualTo(SlotMap.UNCOVERED);
    assertThat(map.coveredPartitions()).isEqualTo(SlotMap.SLOTS - 1);
  }

  @Test
  void a_forgotten_master_is_removed() {
    String withoutC =
        """
        a 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5460
        b 10.0.0.2:7000@17000 master - 0 0 2 connected 5461-16383
        """;
    KnownCluster.Merged merged = knowing(Views.HEALTHY).merge(view(withoutC));
    assertThat(merged.hasStaleClaims()).isFalse();
    assertThat(map(merged.now()).shards()).extracting(Shard::master).containsExactly(A, B);
  }

  @Test
  void a_master_without_slots_is_a_shard_after_its_handshake() {
    String joining = Views.HEALTHY + "i 10.0.0.9:7000@17000 handshake - 0 0 0 connected\n";
    assertThat(map(knowing(joining)).shards()).hasSize(3);
    String joined = Views.HEALTHY + "i 10.0.0.9:7000@17000 master - 0 0 0 connected\n";
    SlotMap map = map(knowing(joined));
    assertThat(map.shards().get(3))
        .isEqualTo(new Shard(new Endpoint("10.0.0.9", 7000), List.of(), 0));
  }

  @Test
  void unhealthy_replicas_are_not_listed() {
    String suspected = Views.HEALTHY.replace("slave a", "slave,fail? a");
    assertThat(map(knowing(suspected)).shards().getFirst().replicas()).isEmpty();
  }

  @Test
  void a_master_without_address_keeps_its_known_one() {
    String noaddr = Views.A_FAILED.replace("10.0.0.1:7000@17000 master,fail", ":0@0 master,noaddr");
    assertThat(owner(map(knowing(Views.HEALTHY).merge(view(noaddr)).now()), 0)).isEqualTo(A);
    assertThat(map(knowing(noaddr)).ownerOf(0)).isEqualTo(SlotMap.UNCOVERED);
  }

  @Test
  void views_of_any_node_of_a_cluster_give_the_same_map() {
    String otherOrder =
        """
        d 10.0.0.4:7000@17000 myself,slave a 0 0 1 connected
        c 10.0.0.3:7000@17000 master - 0 0 3 connected 10923-16383
        b 10.0.0.2:7000@17000 master - 0 0 2 connected 5461-10922
        a 10.0.0.1:7000@17000 master - 0 0 1 connected 0-5460
        """;
    assertThat(map(knowing(otherOrder))).isEqualTo(map(knowing(Views.HEALTHY)));
  }

  @Test
  void a_new_master_comes_after_the_known_ones() {
    SlotMap before = map(knowing(Views.HEALTHY));
    SlotMap after =
        SlotMapAssembly.assemble(knowing(Views.D_PROMOTED), new Endpoint[SlotMap.SLOTS], before);
    assertThat(after.shards()).extracting(Shard::master).containsExactly(B, C, D);
  }

  @Test
  void members_have_the_number_of_their_known_slots() {
    assertThat(knowing(Views.D_PROMOTED).merge(view(Views.HEALTHY)).now().members())
        .extracting(TopologyStatus.Member::id, TopologyStatus.Member::slots)
        .contains(tuple("a", 0), tuple("d", 5461));
  }

  private static Endpoint owner(SlotMap map, int slot) {
    return requireNonNull(map.shardOf(slot)).master();
  }
}
