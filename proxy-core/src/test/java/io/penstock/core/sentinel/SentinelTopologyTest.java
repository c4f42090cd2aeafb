package io.penstock.core.sentinel;

import static io.penstock.core.sentinel.ScriptedSentinels.A;
import static io.penstock.core.sentinel.ScriptedSentinels.B;
import static io.penstock.core.sentinel.ScriptedSentinels.C;
import static io.penstock.core.sentinel.ScriptedSentinels.S1;
import static io.penstock.core.sentinel.ScriptedSentinels.S2;
import static io.penstock.core.sentinel.ScriptedSentinels.S3;
import static io.penstock.core.sentinel.ScriptedSentinels.STRANGER;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.sentinel.SentinelSource.Role;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.TopologyStatus.Sentinels;
import io.penstock.core.upstream.UnknownPlacement;
import io.penstock.core.wire.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SentinelTopologyTest {

  private static final Duration PERIOD = Duration.ofSeconds(60);
  private static final Duration ADAPTIVE = Duration.ofSeconds(10);
  private static final Duration URGENT = Duration.ofMillis(250);

  private final ManualThread thread = new ManualThread();
  private final ScriptedSentinels sentinels = new ScriptedSentinels();
  private final List<String> events = new ArrayList<>();
  private final SentinelTopology topology = topology(S1, S2, S3);

  private SentinelTopology topology(Endpoint... configured) {
    return SentinelTopology.create(
        new SentinelSettings(
            List.of(configured), "mymaster", Duration.ofSeconds(1), PERIOD, ADAPTIVE),
        new ProxyEvents() {
          @Override
          public void topologyRefreshed(
              RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
            events.add(trigger + (failure == null ? " ok" : " failed"));
          }
        },
        new SentinelTopology.Environment(sentinels, thread, new Random(1)));
  }

  private void start() {
    topology.start();
    thread.run();
  }

  /** As the data path does while requests wait for the master. */
  private void hold(Duration time) {
    for (Duration waited = Duration.ZERO;
        waited.compareTo(time) < 0;
        waited = waited.plus(URGENT)) {
      topology.requestRefresh(RefreshTrigger.HELD);
      thread.advance(URGENT);
    }
  }

  private Shard shard() {
    return topology.current().shards().getFirst();
  }

  private @Nullable Endpoint master() {
    return topology.current().shards().isEmpty() ? null : shard().master();
  }

  private String failure() {
    TopologyStatus.Refreshed last = requireNonNull(topology.status().lastRefresh());
    return String.valueOf(last.failure());
  }

  private Sentinels sentinels() {
    return topology.status().sentinels().getFirst();
  }

  @Test
  void before_the_first_answer_nothing_is_covered() {
    assertThat(topology.current()).isEqualTo(UnknownPlacement.INSTANCE);
    assertThat(topology.status()).isEqualTo(TopologyStatus.UNKNOWN);
  }

  @Test
  void all_sentinels_are_asked_and_their_master_is_used() {
    sentinels.agree(A, 3);
    start();
    assertThat(sentinels.queried).containsExactlyInAnyOrder(S1, S2, S3);
    assertThat(shard()).isEqualTo(new Shard(A, List.of(B, C), 3));
    assertThat(events).containsExactly("STARTUP ok");
    assertThat(topology.status().nodes())
        .extracting(TopologyStatus.Member::node)
        .containsExactly(A, B, C);
    assertThat(sentinels.subscribed).containsExactlyInAnyOrder(S1, S2, S3);
  }

  @Test
  void one_configured_sentinel_leads_to_the_others() {
    SentinelTopology small = topology(S1);
    sentinels.agree(A, 3);
    small.start();
    thread.run();
    assertThat(sentinels.queried).containsExactly(S1);
    thread.advance(PERIOD);
    assertThat(sentinels.queried).contains(S2, S3);
    assertThat(sentinels.subscribed).contains(S2, S3);
  }

  @Test
  void a_message_of_one_sentinel_refreshes_at_once() {
    sentinels.agree(A, 3);
    start();
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    thread.advance(URGENT);
    sentinels.agree(B, 4);
    sentinels.send(S2);
    thread.run();
    assertThat(master()).isEqualTo(B);
    assertThat(events).containsExactly("STARTUP ok", "RECONNECT ok", "SENTINEL ok");
  }

  @Test
  void listeners_are_told_of_changes_only() {
    List<Placement> notified = new ArrayList<>();
    topology.onChange(notified::add);
    sentinels.agree(A, 3);
    start();
    thread.advance(PERIOD);
    assertThat(notified).containsExactly(topology.current());
    sentinels.agree(B, 4);
    thread.advance(PERIOD);
    assertThat(notified).hasSize(2).last().isEqualTo(topology.current());
  }

  @Test
  void the_leader_of_a_failover_is_believed_before_the_others() {
    sentinels.agree(A, 3);
    start();
    sentinels.name(S2, B, 4).role(B, Role.MASTER);
    hold(URGENT);
    assertThat(master()).isEqualTo(B);
    hold(Duration.ofSeconds(10));
    assertThat(master()).as("the others are late").isEqualTo(B);
    assertThat(shard().configEpoch()).isEqualTo(4);
  }

  @Test
  void a_replica_that_is_called_master_is_not_used() {
    sentinels.agree(A, 3);
    start();
    sentinels.agree(B, 4).role(A, Role.MASTER).role(B, Role.REPLICA);
    hold(Duration.ofSeconds(10));
    assertThat(master()).isEqualTo(A);
    assertThat(failure())
        .contains("3 of 3 sentinels name 10.0.0.2:6379 (epoch 4): it is a replica");
  }

  @Test
  void one_sentinel_with_a_huge_epoch_is_not_believed() {
    sentinels.agree(A, 3);
    start();
    sentinels.name(S3, STRANGER, Long.MAX_VALUE).role(STRANGER, Role.MASTER);
    hold(Duration.ofSeconds(10));
    assertThat(master()).as("a node that only one sentinel knows").isEqualTo(A);
    sentinels.name(S3, C, Long.MAX_VALUE).role(C, Role.REPLICA);
    hold(Duration.ofSeconds(10));
    assertThat(master()).as("a replica").isEqualTo(A);
    sentinels.name(S3, A, Long.MAX_VALUE);
    hold(Duration.ofSeconds(10));
    assertThat(shard().configEpoch()).as("of the majority").isEqualTo(3);
  }

  @Test
  void an_outdated_sentinel_does_not_bring_the_old_master_back() {
    sentinels.agree(B, 4);
    start();
    sentinels.refuse(S1, S2).name(S3, A, 3).role(A, Role.MASTER);
    hold(Duration.ofSeconds(10));
    assertThat(master()).isEqualTo(B);
    assertThat(failure()).contains("1 of 3 sentinels name 10.0.0.1:6379 (epoch 3)");
  }

  @Test
  void a_lonely_sentinel_does_not_count_as_a_majority() {
    sentinels.agree(A, 3);
    start();
    sentinels.refuse(S1, S2).nameAlone(S3, STRANGER, 3).role(STRANGER, Role.MASTER);
    hold(Duration.ofSeconds(10));
    assertThat(master()).isEqualTo(A);
    sentinels.nameAlone(S3, STRANGER, 9);
    hold(Duration.ofSeconds(10));
    assertThat(master()).isEqualTo(A);
  }

  @Test
  void at_the_start_a_majority_wins_over_a_higher_epoch() {
    sentinels.agree(A, 3).name(S1, STRANGER, 9).role(STRANGER, Role.MASTER);
    start();
    assertThat(master()).isEqualTo(A);
  }

  @Test
  void sentinels_that_report_no_id_count_once_each() {
    sentinels.hideIds().agree(A, 3).name(S1, STRANGER, 9).role(STRANGER, Role.MASTER);
    start();
    assertThat(master()).isEqualTo(A);
    thread.advance(PERIOD.dividedBy(2));
    assertThat(events).as("a majority is known").containsExactly("STARTUP ok");
  }

  @Test
  void at_the_start_a_single_sentinel_is_believed() {
    sentinels.agree(A, 3).refuse(S1, S2);
    start();
    assertThat(master()).isEqualTo(A);
    sentinels.agree(B, 4);
    thread.advance(Duration.ofSeconds(1));
    assertThat(master()).as("refreshed soon").isEqualTo(B);
  }

  @Test
  void one_sentinel_is_enough_while_it_confirms_the_master() {
    sentinels.agree(A, 3);
    start();
    sentinels.refuse(S1, S2);
    thread.advance(PERIOD);
    assertThat(events).containsOnly("STARTUP ok", "PERIODIC ok");
    sentinels.name(S3, B, 4).role(B, Role.MASTER);
    sentinels.send(S3);
    thread.advance(URGENT);
    assertThat(master()).as("a known replica that has become the master").isEqualTo(B);
  }

  @Test
  void a_master_that_cannot_be_reached_does_not_replace_another() {
    sentinels.agree(A, 3);
    start();
    sentinels.agree(B, 4).unreachable(B);
    hold(Duration.ofSeconds(2));
    assertThat(master()).isEqualTo(A);
    sentinels.role(B, Role.MASTER);
    hold(URGENT);
    assertThat(master()).isEqualTo(B);
  }

  @Test
  void a_frozen_node_does_not_stop_refreshes() {
    sentinels.agree(A, 3);
    start();
    sentinels.agree(B, 4).freeze(B);
    hold(Duration.ofSeconds(3));
    assertThat(master()).isEqualTo(A);
    sentinels.agree(C, 5);
    hold(Duration.ofSeconds(3));
    assertThat(master()).isEqualTo(C);
  }

  @Test
  void a_dead_master_is_known_at_the_start_with_its_replicas() {
    sentinels.agree(A, 3).unreachable(A);
    start();
    assertThat(shard()).isEqualTo(new Shard(A, List.of(B, C), 3));
    sentinels.agree(B, 4);
    sentinels.send(S1);
    thread.advance(URGENT);
    assertThat(master()).isEqualTo(B);
  }

  @Test
  void a_master_that_hides_its_role_needs_a_majority() {
    sentinels.agree(A, 3);
    start();
    sentinels.name(S1, B, 4).role(B, Role.UNKNOWN);
    hold(Duration.ofSeconds(2));
    assertThat(master()).isEqualTo(A);
    sentinels.name(S2, B, 4);
    hold(URGENT);
    assertThat(master()).isEqualTo(B);
  }

  @Test
  void epochs_that_went_back_are_accepted_after_a_while() {
    sentinels.agree(B, 9);
    start();
    sentinels.agree(A, 0);
    hold(Duration.ofSeconds(2));
    assertThat(master()).isEqualTo(B);
    hold(Duration.ofSeconds(2));
    assertThat(shard()).isEqualTo(new Shard(A, List.of(B, C), 0));
  }

  @Test
  void a_frozen_sentinel_delays_a_refresh_only_briefly() {
    sentinels.agree(A, 3);
    start();
    sentinels.agree(B, 4).freeze(S1);
    sentinels.send(S2);
    thread.advance(URGENT.plus(Duration.ofMillis(300)));
    assertThat(master()).isEqualTo(B);
  }

  @Test
  void sentinels_that_do_not_answer_are_told() {
    sentinels.agree(A, 3);
    start();
    assertThat(sentinels()).isEqualTo(new Sentinels("mymaster", 3, 3, 3, Map.of()));
    try (LogLines lines = LogLines.of("sentinel.SentinelTopology")) {
      sentinels.refuse(S2, S3).freeze(S2).freeze(S3);
      thread.advance(Duration.ofSeconds(20));
      assertThat(sentinels())
          .isEqualTo(
              new Sentinels(
                  "mymaster",
                  3,
                  1,
                  1,
                  Map.of(S2.toString(), "no answer in 2 s", S3.toString(), "no answer in 2 s")));
      assertThat(lines.get())
          .containsExactly(
              "Too few sentinels of mymaster answer for a failover: 1 of 3, and it needs 2;"
                  + " 10.0.1.2:26379: no answer in 2 s; 10.0.1.3:26379: no answer in 2 s");
      thread.advance(Duration.ofSeconds(60));
      assertThat(lines.get()).as("once a minute").hasSize(2);
      sentinels.agree(A, 3).thaw(S2).refuse(S3).thaw(S3);
      thread.advance(PERIOD);
      sentinels.agree(A, 3);
      thread.advance(PERIOD);
      assertThat(lines.get().subList(2, lines.get().size()))
          .containsExactly(
              "Some sentinels of mymaster do not answer: 2 of 3 do, enough for a failover;"
                  + " 10.0.1.3:26379: Connection refused",
              "All 3 sentinels of mymaster answer again");
    }
  }

  @Test
  void the_leader_of_a_failover_is_no_reason_to_warn() {
    sentinels.agree(A, 3);
    start();
    try (LogLines lines = LogLines.of("sentinel.SentinelTopology")) {
      sentinels.role(A, Role.REPLICA).role(B, Role.MASTER).name(S1, B, 4);
      hold(Duration.ofSeconds(2));
      assertThat(sentinels()).isEqualTo(new Sentinels("mymaster", 3, 3, 1, Map.of()));
      sentinels.agree(B, 4);
      hold(Duration.ofSeconds(2));
      assertThat(sentinels()).isEqualTo(new Sentinels("mymaster", 3, 3, 3, Map.of()));
      assertThat(lines.get()).allMatch(line -> line.startsWith("Topology refreshed "));
    }
  }

  @Test
  void while_no_master_is_found_the_sentinels_that_answer_are_told() {
    sentinels.name(S1, A, 3).role(A, Role.REPLICA);
    start();
    assertThat(sentinels().known()).isEqualTo(3);
    assertThat(sentinels().answering()).isEqualTo(1);
    assertThat(sentinels().agreeing()).isZero();
  }

  @Test
  void one_late_answer_is_no_reason_to_warn() {
    sentinels.agree(A, 3);
    start();
    try (LogLines lines = LogLines.of("sentinel.SentinelTopology")) {
      sentinels.freeze(S2).freeze(S3);
      topology.requestRefresh(RefreshTrigger.RECONNECT);
      thread.run();
      sentinels.thaw(S2).thaw(S3);
      thread.advance(PERIOD);
      assertThat(sentinels().answering()).isEqualTo(3);
      assertThat(lines.get()).isEmpty();
    }
  }

  @Test
  void a_subscription_to_a_frozen_sentinel_is_replaced() {
    sentinels.agree(A, 3);
    start();
    sentinels.freeze(S1);
    thread.advance(SentinelSubscriptions.PERIOD);
    assertThat(sentinels.hasSubscriber(S1)).isFalse();
    sentinels.thaw(S1);
    thread.advance(Duration.ofSeconds(6));
    assertThat(sentinels.hasSubscriber(S1)).isTrue();
    assertThat(events).as("messages may have been missed").contains("RECONNECT ok");
  }

  @Test
  void replicas_that_most_sentinels_consider_down_are_left_out() {
    sentinels.agree(A, 3).name(S1, A, 3, C);
    start();
    assertThat(shard().replicas()).containsExactly(B, C);
    sentinels.name(S2, A, 3, C);
    thread.advance(PERIOD);
    assertThat(shard().replicas()).containsExactly(B);
  }

  @Test
  void failures_tell_what_each_sentinel_said() {
    sentinels.fail(S1, new UnusableSentinelException("it monitors no master named mymaster"));
    start();
    assertThat(failure())
        .contains("10.0.1.1:26379: it monitors no master named mymaster")
        .contains("10.0.1.2:26379: Connection refused");
    assertThat(topology.current()).isEqualTo(UnknownPlacement.INSTANCE);
    sentinels.agree(A, 3);
    thread.advance(Duration.ofSeconds(1));
    assertThat(master()).isEqualTo(A);
  }

  @Test
  void nothing_is_asked_after_the_end() {
    sentinels.agree(A, 3);
    start();
    topology.close();
    thread.run();
    int queries = sentinels.queried.size();
    topology.requestRefresh(RefreshTrigger.HELD);
    thread.advance(PERIOD.multipliedBy(3));
    assertThat(sentinels.queried).hasSize(queries);
    assertThat(sentinels.hasSubscriber(S1)).isFalse();
    assertThat(master()).isEqualTo(A);
  }
}
