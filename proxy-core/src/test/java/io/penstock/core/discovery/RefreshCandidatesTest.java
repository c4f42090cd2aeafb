package io.penstock.core.discovery;

import static io.penstock.core.discovery.Views.A;
import static io.penstock.core.discovery.Views.B;
import static io.penstock.core.discovery.Views.C;
import static io.penstock.core.discovery.Views.D;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RefreshCandidatesTest {

  private static final List<Endpoint> SEEDS =
      List.of(new Endpoint("s1", 7000), new Endpoint("s2", 7000));

  private final Random random = new Random();

  @Test
  void at_start_the_seeds_are_queried() {
    assertThat(RefreshCandidates.order(null, List.of(), SEEDS, random))
        .containsExactlyInAnyOrderElementsOf(SEEDS);
  }

  @RepeatedTest(5)
  void the_first_wave_has_the_last_node_a_master_and_a_seed() {
    List<Endpoint> order =
        RefreshCandidates.order(B, Views.knowing(Views.A_FAILED).nodes(), SEEDS, random);
    assertThat(order).hasSize(6).doesNotHaveDuplicates();
    assertThat(order.getFirst()).isEqualTo(B);
    assertThat(order.subList(0, 3)).containsAnyElementsOf(SEEDS);
    assertThat(order.indexOf(C)).isLessThan(order.indexOf(D));
    assertThat(order.getLast()).as("failed nodes come last").isEqualTo(A);
  }
}
