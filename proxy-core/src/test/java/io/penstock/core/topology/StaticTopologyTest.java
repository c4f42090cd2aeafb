package io.penstock.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import org.junit.jupiter.api.Test;

class StaticTopologyTest {

  @Test
  void one_server_has_every_slot_whatever_is_reported() {
    StaticTopology topology = new StaticTopology(Views.A);
    SlotMap map = topology.current();
    assertThat(map).isEqualTo(SlotMap.single(Views.A));
    topology.moved(1, new Endpoint("elsewhere", 1));
    topology.requestRefresh(RefreshTrigger.MOVED);
    assertThat(topology.current()).isSameAs(map);
  }
}
