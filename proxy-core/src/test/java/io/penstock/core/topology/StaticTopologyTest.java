package io.penstock.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.discovery.Views;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StaticTopologyTest {

  private final ManualThread thread = new ManualThread();
  private final List<Endpoint> asked = new ArrayList<>();
  private final List<Placement> published = new ArrayList<>();
  private boolean leadsToMaster;
  private final StaticTopology topology =
      new StaticTopology(
          Views.A,
          List.of(),
          new StaticTopology.Environment(
              thread,
              node -> {
                asked.add(node);
                return CompletableFuture.completedFuture(leadsToMaster);
              },
              LogPrefix.NONE));

  private void demoted(Endpoint node) {
    topology.demoted(node);
    thread.run();
  }

  @Test
  void anAddressThatLeadsToAMasterAgainIsAnotherNode() {
    topology.onChange(published::add);
    demoted(Views.A);
    assertThat(published).as("a new connection reaches a replica, too").isEmpty();
    leadsToMaster = true;
    thread.advance(StaticTopology.ASK_PERIOD);
    demoted(Views.A);

    Endpoint successor = topology.current().shards().getFirst().master();
    assertThat(published).containsExactly(topology.current());
    assertThat(successor).isNotEqualTo(Views.A).hasToString(Views.A.toString());
    assertThat(successor.first()).isEqualTo(Views.A);

    thread.advance(StaticTopology.CHANGE_PERIOD);
    demoted(Views.A);
    assertThat(asked).as("a late reply of the earlier server").hasSize(2);
    demoted(successor);
    assertThat(asked).containsExactly(Views.A, Views.A, successor);
  }

  @Test
  void theServerIsAskedAtALimitedRate() {
    leadsToMaster = true;
    for (int i = 0; i < 20; i++) {
      demoted(topology.current().shards().getFirst().master());
    }
    assertThat(asked).hasSize(1);

    thread.advance(StaticTopology.CHANGE_PERIOD);
    leadsToMaster = false;
    for (int i = 0; i < 20; i++) {
      demoted(topology.current().shards().getFirst().master());
    }
    assertThat(asked).hasSize(2);
    thread.advance(StaticTopology.ASK_PERIOD);
    demoted(topology.current().shards().getFirst().master());
    assertThat(asked).hasSize(3);
  }

  @Test
  void nothingChangesAfterTheClose() {
    leadsToMaster = true;
    topology.close();
    demoted(Views.A);
    assertThat(topology.current()).isEqualTo(new SinglePlacement(Views.A));
  }

  @Test
  void withoutRejectedWritesThePlacementNeverChanges() {
    StaticTopology fixed = new StaticTopology(Views.A);
    Placement placement = fixed.current();
    assertThat(placement).isEqualTo(new SinglePlacement(Views.A));
    fixed.moved(1, new Endpoint("elsewhere", 1));
    fixed.requestRefresh(RefreshTrigger.MOVED);
    fixed.demoted(Views.A);
    assertThat(fixed.current()).isSameAs(placement);
  }
}
