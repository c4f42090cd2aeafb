package io.penstock.core.topology;

import static io.penstock.core.discovery.Views.A;
import static io.penstock.core.discovery.Views.B;
import static io.penstock.core.discovery.Views.C;
import static io.penstock.core.discovery.Views.D;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.discovery.ClusterView;
import io.penstock.core.discovery.NoViewException;
import io.penstock.core.discovery.ScriptedSource;
import io.penstock.core.discovery.Views;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefreshRoundTest {

  private static final Endpoint E = new Endpoint("10.0.0.5", 7000);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final ManualThread thread = new ManualThread();
  private final ScriptedSource source = new ScriptedSource();
  private final List<RefreshRound.Result<ClusterView>> results = new ArrayList<>();

  @Test
  void a_healthy_cluster_gets_three_queries() {
    source.answer(A, Views.HEALTHY).answer(B, Views.HEALTHY).answer(C, Views.HEALTHY);
    round(A, B, C, D);
    assertThat(source.queried).containsExactly(A, B, C);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().views()).hasSize(3);
  }

  @Test
  void one_node_that_answers_is_enough() {
    source.answer(E, Views.HEALTHY);
    round(A, B, C, D, E);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().failures()).containsOnlyKeys(A, B, C, D);
  }

  @Test
  void a_frozen_node_delays_the_round_only_briefly() {
    source.answer(A, Views.HEALTHY).freeze(B).answer(C, Views.HEALTHY);
    round(A, B, C, D);
    assertThat(results).isEmpty();
    thread.advance(RefreshRound.WAVE_TIMEOUT);
    assertThat(results).hasSize(1);
    assertThat(source.queried).containsExactly(A, B, C);
  }

  @Test
  void a_view_with_a_promotion_ends_the_round_at_once() {
    source.freeze(A).answer(B, Views.D_PROMOTED).freeze(C);
    round(A, B, C, D);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().views()).hasSize(1);
    assertThat(source.queried).containsExactly(A, B, C);
  }

  @Test
  void the_next_wave_starts_if_all_of_a_wave_are_frozen() {
    source.freeze(A).freeze(B).freeze(C).answer(D, Views.HEALTHY);
    round(A, B, C, D);
    thread.advance(RefreshRound.WAVE_TIMEOUT);
    assertThat(source.queried).containsExactly(A, B, C, D);
    thread.advance(RefreshRound.WAVE_TIMEOUT);
    assertThat(results).hasSize(1);
  }

  @Test
  void a_late_answer_still_counts_while_the_round_runs() {
    source.freeze(A);
    round(A, B);
    thread.advance(RefreshRound.WAVE_TIMEOUT);
    source.release(A, Views.HEALTHY);
    thread.run();
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().views()).hasSize(1);
  }

  @Test
  void answers_after_the_end_are_dropped() {
    source.freeze(A).answer(B, Views.HEALTHY);
    round(A, B);
    thread.advance(RefreshRound.WAVE_TIMEOUT);
    source.release(A, Views.HEALTHY);
    thread.advance(TIMEOUT);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().views()).hasSize(1);
  }

  @Test
  void an_insufficient_view_is_in_the_result() {
    source.answer(A, Views.A_ALONE);
    round(A, B, C, D);
    assertThat(source.queried).containsExactly(A, B, C, D);
    assertThat(results.getFirst().views()).hasSize(1);
  }

  @Test
  void without_answers_the_round_ends_after_the_timeout() {
    source.freeze(A).freeze(B);
    round(A, B);
    thread.advance(TIMEOUT);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().views()).isEmpty();
    assertThat(NoViewException.of(results.getFirst()))
        .hasMessageContaining("2 nodes")
        .hasMessageContaining("10.0.0.1:7000: no answer in 2 s");
  }

  @Test
  void nodes_that_cannot_be_queried_count_as_failed() {
    source.freeze(A).freeze(B).freeze(C);
    round(A, B, C, D);
    source.fail(new InternalError("no thread could be made"));
    thread.advance(RefreshRound.WAVE_TIMEOUT);
    assertThat(source.queried).containsExactly(A, B, C, D);
    thread.advance(TIMEOUT);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().failures()).containsKeys(A, B, C, D);
  }

  @Test
  void without_candidates_the_round_ends_at_once() {
    round();
    assertThat(results).hasSize(1);
  }

  /** Rates a view as if views of epochs up to 3 were known. */
  private static RefreshRound.Rating worth(ClusterView view) {
    if (!view.isOfMajority()) {
      return RefreshRound.Rating.INSUFFICIENT;
    }
    return view.highestEpoch() > 3 ? RefreshRound.Rating.NEWER : RefreshRound.Rating.SUFFICIENT;
  }

  private void round(Endpoint... candidates) {
    new RefreshRound<>(
            new RefreshRound.Queries<>(source::query, TIMEOUT, RefreshRound.WAVE_SIZE),
            thread,
            List.of(candidates),
            RefreshRoundTest::worth,
            results::add)
        .start();
    thread.run();
  }
}
