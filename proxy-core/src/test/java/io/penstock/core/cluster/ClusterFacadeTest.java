package io.penstock.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.ClusterFacade.Member;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterFacadeTest {

  private static final Endpoint LOCAL = new Endpoint("127.0.0.1", 6380);

  private static List<Endpoint> nodes(int count) {
    List<Endpoint> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(new Endpoint("10.0.0." + i, 6380));
    }
    return nodes;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 100})
  void slotsAreDividedEvenlyAmongInstances(int count) {
    List<Member> members = new ClusterFacade(nodes(count), "10.0.0.1", 6380).members(LOCAL);

    int next = 0;
    for (Member member : members) {
      assertThat(member.first()).isEqualTo(next);
      assertThat(member.last() - member.first() + 1)
          .isBetween(SlotMap.SLOTS / count, SlotMap.SLOTS / count + 1);
      next = member.last() + 1;
    }
    assertThat(next).isEqualTo(SlotMap.SLOTS);
  }

  @Test
  void allInstancesShowTheSameCluster() {
    List<Endpoint> nodes = nodes(5);
    List<Endpoint> otherOrder = new ArrayList<>(nodes);
    Collections.reverse(otherOrder);

    assertThat(strangers(new ClusterFacade(nodes, "10.0.0.1", 6380)))
        .isEqualTo(strangers(new ClusterFacade(otherOrder, "10.0.0.3", 6380)));
  }

  private static List<String> strangers(ClusterFacade facade) {
    return facade.members(LOCAL).stream()
        .map(it -> it.node() + it.id() + it.shardId() + it.first() + "-" + it.last() + it.epoch())
        .toList();
  }

  @Test
  void idsAreFortyDigitsAndDiffer() {
    List<Member> members = new ClusterFacade(nodes(3), "10.0.0.1", 6380).members(LOCAL);

    assertThat(members).extracting(Member::id).doesNotHaveDuplicates();
    assertThat(members).allMatch(it -> it.id().matches("[0-9a-f]{40}"));
    assertThat(members).allMatch(it -> !it.id().equals(it.shardId()));
    assertThat(members).extracting(Member::myself).containsExactly(false, true, false);
  }

  @Test
  void aSingleInstanceHasTheClientsOrAnnouncedAddress() {
    assertThat(new ClusterFacade(List.of(), null, 0).members(LOCAL).getFirst().node())
        .isEqualTo(LOCAL);
    assertThat(new ClusterFacade(List.of(), "proxy.example", 0).members(LOCAL).getFirst().node())
        .isEqualTo(new Endpoint("proxy.example", 6380));
    assertThat(new ClusterFacade(List.of(), null, 7).members(LOCAL).getFirst().node())
        .isEqualTo(new Endpoint("127.0.0.1", 7));
    assertThat(new ClusterFacade(nodes(1), null, 0).members(LOCAL).getFirst().myself()).isTrue();
  }
}
