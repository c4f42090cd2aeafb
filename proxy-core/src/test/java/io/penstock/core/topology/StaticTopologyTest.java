package io.penstock.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import org.junit.jupiter.api.Test;

class StaticTopologyTest {

  @Test
  void the_placement_never_changes() {
    StaticTopology topology = new StaticTopology(Views.A);
    Placement placement = topology.current();
    assertThat(placement).isEqualTo(new SinglePlacement(Views.A));
    topology.moved(1, new Endpoint("elsewhere", 1));
    topology.requestRefresh(RefreshTrigger.MOVED);
    assertThat(topology.current()).isSameAs(placement);
  }
}
