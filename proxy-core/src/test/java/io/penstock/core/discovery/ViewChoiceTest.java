package io.penstock.core.discovery;

import static io.penstock.core.discovery.Views.A;
import static io.penstock.core.discovery.Views.B;
import static io.penstock.core.discovery.Views.C;
import static io.penstock.core.discovery.Views.knowing;
import static io.penstock.core.discovery.Views.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.topology.RefreshRound;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ViewChoiceTest {

  private static final Endpoint SEED = new Endpoint("seed", 7000);

  private final ViewChoice atStart = new ViewChoice(KnownCluster.NONE, Set.of(SEED), null);
  private final ViewChoice later = new ViewChoice(knowing(Views.HEALTHY), Set.of(SEED), B);

  @Test
  void a_view_without_slot_owners_is_not_used() {
    assertThat(atStart.best(List.of(view(SEED, Views.EMPTY_NODE)))).isNull();
    assertThat(later.best(List.of(view(SEED, Views.EMPTY_NODE)))).isNull();
  }

  @Test
  void a_majority_is_preferred_to_a_minority() {
    ClusterView alone = view(A, Views.A_ALONE);
    ClusterView healthy = view(B, Views.A_FAILED);
    assertThat(later.best(List.of(alone, healthy))).isSameAs(healthy);
    assertThat(later.isSufficient(healthy)).isTrue();
    assertThat(later.isSufficient(alone)).isFalse();
  }

  @Test
  void a_promotion_is_newer_until_it_is_known() {
    ClusterView promoted = view(B, Views.D_PROMOTED);
    ViewChoice knowing = new ViewChoice(knowing(Views.D_PROMOTED), Set.of(SEED), B);
    assertThat(later.rate(promoted)).isEqualTo(RefreshRound.Rating.NEWER);
    assertThat(knowing.rate(promoted)).isEqualTo(RefreshRound.Rating.SUFFICIENT);
    assertThat(later.rate(view(B, Views.A_FAILED))).isEqualTo(RefreshRound.Rating.SUFFICIENT);
    assertThat(later.rate(view(A, Views.A_ALONE))).isEqualTo(RefreshRound.Rating.INSUFFICIENT);
  }

  @Test
  void a_first_view_is_compared_with_others() {
    assertThat(atStart.rate(view(SEED, Views.HEALTHY))).isEqualTo(RefreshRound.Rating.SUFFICIENT);
  }

  @Test
  void a_minority_is_used_if_there_is_nothing_else() {
    ClusterView alone = view(SEED, Views.A_ALONE);
    assertThat(atStart.best(List.of(alone))).isSameAs(alone);
  }

  @Test
  void the_highest_epoch_wins() {
    ClusterView late = view(B, Views.HEALTHY);
    ClusterView promoted = view(C, Views.D_PROMOTED);
    assertThat(later.best(List.of(late, promoted))).isSameAs(promoted);
  }

  @Test
  void of_equal_views_that_of_the_last_node_is_used() {
    ClusterView one = view(A, Views.HEALTHY);
    ClusterView two = view(B, Views.HEALTHY);
    ClusterView three = view(C, Views.HEALTHY);
    assertThat(later.best(List.of(one, two, three))).isSameAs(two);
  }

  @Test
  void a_late_view_is_not_sufficient() {
    ViewChoice choice = new ViewChoice(knowing(Views.D_PROMOTED), Set.of(SEED), null);
    assertThat(choice.isSufficient(view(A, Views.HEALTHY))).isFalse();
    assertThat(choice.isSufficient(view(B, Views.D_PROMOTED))).isTrue();
  }

  @Test
  void another_cluster_is_used_only_if_the_known_one_is_down() {
    ClusterView atOldAddress = view(A, Views.OTHER);
    ClusterView atSeed = view(SEED, Views.OTHER);
    ClusterView known = view(B, Views.A_ALONE);
    assertThat(later.best(List.of(atOldAddress))).isNull();
    assertThat(later.best(List.of(atSeed, known))).isSameAs(known);
    assertThat(later.best(List.of(atOldAddress, atSeed))).isSameAs(atSeed);
    assertThat(later.isSufficient(atSeed)).isFalse();
  }
}
