package io.penstock.core.discovery;

import static io.penstock.core.discovery.Views.A;
import static io.penstock.core.discovery.Views.B;
import static io.penstock.core.discovery.Views.C;
import static io.penstock.core.discovery.Views.D;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.topology.TopologySettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.TopologyStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterTopologyTest {

  private static final Endpoint SEED = new Endpoint("seed", 7000);
  private static final Duration PERIOD = Duration.ofSeconds(60);
  private static final Duration ADAPTIVE = Duration.ofSeconds(10);

  private final ManualThread thread = new ManualThread();
  private final ScriptedSource source = new ScriptedSource();
  private final List<String> events = new ArrayList<>();
  private boolean listenerFails;
  private final ClusterTopology topology =
      ClusterTopology.create(
          new TopologySettings(List.of(SEED), Duration.ofSeconds(1), PERIOD, ADAPTIVE),
          new ProxyEvents() {
            @Override
            public void topologyRefreshed(
                RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
              events.add(trigger + (failure == null ? " ok" : " failed"));
              if (listenerFails) {
                throw new InternalError("no thread could be made");
              }
            }
          },
          new ClusterTopology.Environment(source, thread, new Random(1)));

  @Test
  void before_the_first_answer_nothing_is_covered() {
    topology.start();
    assertThat(topology.current()).isEqualTo(SlotMap.EMPTY);
    assertThat(topology.status()).isEqualTo(TopologyStatus.UNKNOWN);
  }

  @Test
  void a_seed_leads_to_the_cluster() {
    source.answer(SEED, Views.HEALTHY);
    start();
    assertThat(topology.current().isFullyCovered()).isTrue();
    assertThat(events).containsExactly("STARTUP ok");
    TopologyStatus.Refreshed last = requireNonNull(topology.status().lastRefresh());
    assertThat(last.isSuccess()).isTrue();
    assertThat(last.answeredBy()).isEqualTo(SEED);
    assertThat(topology.status().nodes()).hasSize(4);
  }

  @Test
  void refreshes_repeat_while_the_cluster_is_down() {
    start();
    thread.advance(Duration.ofSeconds(30));
    TopologyStatus.Refreshed last = requireNonNull(topology.status().lastRefresh());
    assertThat(last.failure()).contains("seed:7000: Connection refused");
    assertThat(topology.status().failuresInARow()).isGreaterThan(5);
    source.answer(SEED, Views.HEALTHY);
    thread.advance(Duration.ofSeconds(5));
    assertThat(topology.current().isFullyCovered()).isTrue();
    assertThat(topology.status().failuresInARow()).isZero();
    assertThat(events).endsWith("STARTUP failed", "STARTUP ok");
  }

  @Test
  void refreshes_continue_after_an_error_in_a_query() {
    source.answer(SEED, Views.HEALTHY).fail(new InternalError("no thread could be made"));
    start();
    TopologyStatus.Refreshed last = requireNonNull(topology.status().lastRefresh());
    assertThat(last.failure()).contains("seed:7000: no thread could be made");
    thread.advance(Duration.ofMillis(200));
    assertThat(source.queried).containsExactly(SEED, SEED);
    source.fail(null);
    thread.advance(Duration.ofSeconds(1));
    assertThat(topology.current().isFullyCovered()).isTrue();
    assertThat(events).containsExactly("STARTUP failed", "STARTUP failed", "STARTUP ok");
  }

  @Test
  void refreshes_continue_after_an_error_in_a_listener() {
    listenerFails = true;
    source.answer(SEED, Views.HEALTHY);
    start();
    assertThat(topology.current().isFullyCovered()).isTrue();
    thread.advance(PERIOD);
    assertThat(events).containsExactly("STARTUP ok", "PERIODIC ok");
  }

  @Test
  void an_incomplete_cluster_is_refreshed_often() {
    source.answer(SEED, "a 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5460\n");
    start();
    assertThat(topology.current().coveredPartitions()).isEqualTo(5461);
    source.answer(SEED, Views.HEALTHY);
    thread.advance(Duration.ofSeconds(1));
    assertThat(topology.current().isFullyCovered()).isTrue();
  }

  @Test
  void a_redirect_patches_at_once_and_a_refresh_follows() {
    source.answer(SEED, Views.HEALTHY);
    start();
    List<Placement> notified = new ArrayList<>();
    topology.onChange(notified::add);
    answerAll(Views.SLOT_0_ON_B);
    topology.moved(0, B);
    assertThat(owner(0)).isEqualTo(B);
    thread.run();
    assertThat(events).containsExactly("STARTUP ok", "MOVED ok");
    assertThat(notified).last().isEqualTo(topology.current());
    assertThat(requireNonNull(topology.current().shardOf(0)).configEpoch()).isEqualTo(5);
  }

  @Test
  void a_redirect_is_kept_until_other_nodes_could_learn_of_it() {
    source.answer(SEED, Views.HEALTHY);
    start();
    answerAll(Views.HEALTHY);
    topology.moved(0, D);
    thread.run();
    assertThat(events).containsExactly("STARTUP ok", "MOVED ok");
    assertThat(owner(0)).isEqualTo(D);
    thread.advance(Duration.ofSeconds(2));
    assertThat(owner(0)).as("a wrong one, as it turns out").isEqualTo(A);
  }

  @Test
  void a_contradicted_redirect_triggers_another_refresh() {
    source.answer(SEED, Views.HEALTHY);
    start();
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    source.freeze(SEED).freeze(A).freeze(B).freeze(C).freeze(D);
    thread.run();
    topology.moved(0, B);
    for (Endpoint node : List.of(SEED, A, B, C, D)) {
      source.release(node, Views.HEALTHY);
    }
    answerAll(Views.SLOT_0_ON_B);
    thread.run();
    assertThat(owner(0)).isEqualTo(B);
    assertThat(events).containsExactly("STARTUP ok", "RECONNECT ok");
    thread.advance(ADAPTIVE);
    assertThat(events).containsExactly("STARTUP ok", "RECONNECT ok", "MOVED ok");
    assertThat(owner(0)).isEqualTo(B);
  }

  @Test
  void a_failover_is_followed_if_the_seed_failed() {
    source.answer(SEED, Views.HEALTHY);
    start();
    source.refuse(SEED, A).answer(B, Views.D_PROMOTED).answer(D, Views.D_PROMOTED);
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    thread.run();
    assertThat(owner(0)).isEqualTo(D);
  }

  @Test
  void nodes_replaced_under_the_seeds_name_are_found() {
    source.answer(SEED, Views.HEALTHY);
    start();
    source.answer(SEED, Views.OTHER).freeze(A);
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    thread.run();
    thread.advance(Duration.ofSeconds(1));
    assertThat(owner(6000)).as("a may still answer").isEqualTo(B);
    thread.advance(Duration.ofSeconds(1));
    assertThat(owner(6000)).isEqualTo(A);
    assertThat(topology.current().shards()).hasSize(2);
  }

  @Test
  void another_cluster_at_an_old_address_is_not_followed() {
    source.answer(SEED, Views.HEALTHY);
    start();
    source.refuse(SEED).answer(A, Views.OTHER);
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    thread.run();
    assertThat(owner(6000)).isEqualTo(B);
    assertThat(events).last().isEqualTo("RECONNECT failed");
  }

  @Test
  void a_stale_view_is_accepted_after_some_refreshes() {
    source.answer(SEED, Views.D_PROMOTED);
    start();
    source.answer(SEED, Views.HEALTHY);
    thread.advance(PERIOD);
    thread.advance(PERIOD);
    assertThat(owner(0)).isEqualTo(D);
    thread.advance(PERIOD);
    assertThat(owner(0)).isEqualTo(A);
  }

  @Test
  void closing_ends_the_refreshes() {
    source.answer(SEED, Views.HEALTHY);
    start();
    topology.close();
    thread.run();
    thread.advance(PERIOD.multipliedBy(3));
    assertThat(events).hasSize(1);
    assertThat(topology.current().isFullyCovered()).isTrue();
  }

  private void start() {
    topology.start();
    thread.run();
  }

  private void answerAll(String text) {
    for (Endpoint node : List.of(SEED, A, B, C, D)) {
      source.answer(node, text);
    }
  }

  private Endpoint owner(int slot) {
    return requireNonNull(topology.current().shardOf(slot)).master();
  }
}
