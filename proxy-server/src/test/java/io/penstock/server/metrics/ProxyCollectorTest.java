package io.penstock.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.PubSubStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.observe.StatsByName;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProxyCollectorTest {

  private static final ProxyStats PART =
      new ProxyStats(
          List.of(
              new CommandStats(
                  "GET", Map.of(Outcome.OK, 9L, Outcome.TIMEOUT, 1L), buckets(), 3_000_000_000L)),
          5,
          7,
          2,
          9,
          List.of(
              new NodeStats(
                  new Endpoint("::1", 7000), 1, 7, 2, 3, 4, 5, 6, Map.of(ErrorPrefix.OOM, 7L))),
          Map.of(RetryablePrefix.MOVED, 8L),
          List.of(new LoopStats(0, 1_000_000, 2_000_000)),
          new PubSubStats(1, 2, 3, 4),
          ProxyStats.Traffic.NONE,
          Map.of(),
          new ProxyStats.HeldStats(3, new long[] {11, 12, 13, 14}),
          new ProxyStats.Pressure(11, 12, 13, Map.of(CloseReason.IDLE, 14L), 15, 16),
          ReadCounts.NONE,
          new ProxyStats.CrossSlotStats(Map.of("RENAME", 17L), Map.of("LMOVE", 18L), 19, 20),
          new ShadowStats(
              21,
              22,
              23,
              Map.of("GET", 24L),
              Map.of(ShadowStats.Skipped.CROSS_SLOT, 25L),
              Map.of("timeout", 26L),
              new ShadowStats.Durations(new long[DurationBuckets.BOUNDED + 1], 2_000_000_000L),
              ShadowStats.Durations.NONE),
          new MirrorStats(
              List.of(
                  new MirrorStats.Copy(
                      "far",
                      31,
                      32,
                      1_500_000_000L,
                      33,
                      34,
                      35,
                      Map.of("SET", 36L),
                      40,
                      37,
                      Instant.EPOCH,
                      "it was added")),
              38,
              39));

  private static final StatsByName STATS =
      new StatsByName(Map.of("main", PART), Map.of("orders", PART), PART);

  @Test
  void writesThePrometheusFormat() throws IOException {
    assertThat(scrape(() -> CompletableFuture.completedFuture(STATS)))
        .contains("penstock_commands_total{command=\"GET\",listener=\"main\",outcome=\"ok\"} 9.0")
        .contains(
            "penstock_commands_total{command=\"GET\",listener=\"main\",outcome=\"timeout\"} 1.0")
        .contains("# TYPE penstock_command_duration_seconds histogram")
        .contains(
            "penstock_command_duration_seconds_bucket{command=\"GET\",listener=\"main\",le=\"1.6384E-5\"} 6")
        .contains(
            "penstock_command_duration_seconds_bucket{command=\"GET\",listener=\"main\",le=\"+Inf\"} 10")
        .contains("penstock_command_duration_seconds_count{command=\"GET\",listener=\"main\"} 10")
        .contains("penstock_command_duration_seconds_sum{command=\"GET\",listener=\"main\"} 3.0")
        .contains("penstock_failover_hold_requests{upstream=\"orders\"} 3.0")
        .contains(
            "penstock_failover_hold_outcomes_total{outcome=\"served\",upstream=\"orders\"} 11.0")
        .contains(
            "penstock_failover_hold_outcomes_total{outcome=\"failed\",upstream=\"orders\"} 12.0")
        .contains(
            "penstock_failover_hold_outcomes_total{outcome=\"disconnected\",upstream=\"orders\"} 13.0")
        .contains(
            "penstock_failover_hold_outcomes_total{outcome=\"rejected\",upstream=\"orders\"} 14.0")
        .contains("penstock_cross_slot_commands_total{command=\"RENAME\",listener=\"main\"} 17.0")
        .contains("penstock_cross_slot_rejected_total{command=\"LMOVE\",listener=\"main\"} 18.0")
        .contains("penstock_cross_slot_moved_bytes_total{listener=\"main\"} 19.0")
        .contains("penstock_cross_slot_retries_total{listener=\"main\"} 20.0")
        .contains("penstock_client_connections{listener=\"main\"} 5.0")
        .contains("penstock_client_connections_accepted_total{listener=\"main\"} 7.0")
        .contains("penstock_client_connections_rejected_total{listener=\"main\"} 2.0")
        .contains("penstock_client_connections_delayed_total{listener=\"main\"} 9.0")
        .contains("penstock_node_connections{node=\"[::1]:7000\",upstream=\"orders\"} 1.0")
        .contains(
            "penstock_node_exclusive_connections{node=\"[::1]:7000\",upstream=\"orders\"} 7.0")
        .contains("penstock_node_in_flight{node=\"[::1]:7000\",upstream=\"orders\"} 2.0")
        .contains("penstock_node_sent_bytes_total{node=\"[::1]:7000\",upstream=\"orders\"} 3.0")
        .contains("penstock_node_received_bytes_total{node=\"[::1]:7000\",upstream=\"orders\"} 4.0")
        .contains("penstock_node_reconnects_total{node=\"[::1]:7000\",upstream=\"orders\"} 5.0")
        .contains(
            "penstock_node_connection_errors_total{node=\"[::1]:7000\",upstream=\"orders\"} 6.0")
        .contains(
            "penstock_node_error_replies_total{node=\"[::1]:7000\",prefix=\"OOM\",upstream=\"orders\"} 7.0")
        .contains(
            "penstock_node_error_replies_total{node=\"[::1]:7000\",prefix=\"other\",upstream=\"orders\"} 0.0")
        .contains("penstock_retryable_errors_total{listener=\"main\",type=\"moved\"} 8.0")
        .contains("penstock_retryable_errors_total{listener=\"main\",type=\"ask\"} 0.0")
        .contains("penstock_pubsub_subscriptions{kind=\"channel\",upstream=\"orders\"} 1.0")
        .contains("penstock_pubsub_subscriptions{kind=\"pattern\",upstream=\"orders\"} 2.0")
        .contains("penstock_pubsub_subscriptions{kind=\"shard\",upstream=\"orders\"} 3.0")
        .contains("penstock_pubsub_messages_total{listener=\"main\"} 4.0")
        .contains("penstock_client_memory_bytes{listener=\"main\"} 11.0")
        .contains("penstock_client_requests_in_flight{listener=\"main\"} 12.0")
        .contains("penstock_client_connections_paused{listener=\"main\"} 13.0")
        .contains("penstock_client_authentication_failures_total{listener=\"main\"} 15.0")
        .contains("penstock_client_authentication_delays_total{listener=\"main\"} 16.0")
        .contains(
            "penstock_client_connections_closed_by_limit_total{listener=\"main\",reason=\"idle\"} 14.0")
        .contains(
            "penstock_client_connections_closed_by_limit_total{listener=\"main\",reason=\"memory\"} 0.0")
        .contains("penstock_event_loop_lag_seconds{loop=\"0\"} 0.001")
        .contains("penstock_event_loop_lag_max_seconds{loop=\"0\"} 0.002");
  }

  @Test
  void eachListenerAndUpstreamHasItsOwnSeries() throws IOException {
    StatsByName stats =
        new StatsByName(
            Map.of("main", PART, "second", ProxyStats.NONE),
            Map.of("orders", PART, "sessions", ProxyStats.NONE),
            PART);

    assertThat(scrape(() -> CompletableFuture.completedFuture(stats)))
        .contains("penstock_client_connections{listener=\"main\"} 5.0")
        .contains("penstock_client_connections{listener=\"second\"} 0.0")
        .contains("penstock_failover_hold_requests{upstream=\"sessions\"} 0.0");
  }

  @Test
  void omitsItsMetricsWhileTheLoopsDoNotAnswer() throws IOException {
    assertThat(scrape(CompletableFuture::new))
        .containsPattern("penstock_stats_age_seconds \\d")
        .doesNotContain("penstock_commands");
  }

  @Test
  void concurrentScrapesQueryTheLoopsOnce() {
    AtomicInteger queries = new AtomicInteger();
    StatsReader reader =
        new StatsReader(
            () -> {
              queries.incrementAndGet();
              return CompletableFuture.completedFuture(STATS);
            },
            Duration.ofMinutes(1),
            Duration.ofSeconds(1));

    assertThat(reader.read()).isSameAs(STATS);
    assertThat(reader.read()).isSameAs(STATS);
    assertThat(queries).hasValue(1);
  }

  @Test
  void figuresOfAHangingLoopAreStillExported() throws Exception {
    Queue<CompletionStage<StatsByName>> answers = new ArrayDeque<>();
    answers.add(CompletableFuture.completedFuture(STATS));
    answers.add(new CompletableFuture<>());
    StatsReader reader =
        new StatsReader(
            () -> {
              CompletionStage<StatsByName> next = answers.poll();
              if (next == null) {
                throw new RejectedExecutionException("the event loops have ended");
              }
              return next;
            },
            Duration.ZERO,
            Duration.ofMillis(50));

    assertThat(reader.read()).isSameAs(STATS);
    assertThat(reader.read()).isSameAs(STATS);
    assertThat(reader.age()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
    assertThat(reader.read()).isSameAs(STATS);
  }

  @Test
  void concurrentScrapesWaitTogetherForAHangingLoop() {
    AtomicInteger queries = new AtomicInteger();
    CompletableFuture<StatsByName> answer = new CompletableFuture<>();
    StatsReader reader =
        new StatsReader(
            () -> {
              queries.incrementAndGet();
              return answer;
            },
            Duration.ofMinutes(1),
            Duration.ofHours(1));
    List<CompletableFuture<@Nullable StatsByName>> scrapes = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      var scrape = new CompletableFuture<@Nullable StatsByName>();
      scrapes.add(scrape);
      threads.add(Thread.ofPlatform().daemon().start(() -> scrape.complete(reader.read())));
    }
    await()
        .untilAsserted(() ->
            assertThat(threads)
                .extracting(Thread::getState)
                .containsOnly(Thread.State.TIMED_WAITING));
    assertThat(CompletableFuture.supplyAsync(reader::age)).succeedsWithin(Duration.ofSeconds(10));

    answer.complete(STATS);

    assertThat(scrapes)
        .allSatisfy(
            scrape -> assertThat(scrape).succeedsWithin(Duration.ofSeconds(10)).isSameAs(STATS));
    assertThat(queries).hasValue(1);
  }

  @Test
  void aHangingLoopIsQueriedOnceUntilItAnswers() {
    AtomicInteger queries = new AtomicInteger();
    CompletableFuture<StatsByName> late = new CompletableFuture<>();
    StatsReader reader =
        new StatsReader(
            () -> queries.incrementAndGet() == 1 ? late : CompletableFuture.completedFuture(STATS),
            Duration.ZERO,
            Duration.ofMillis(50));

    assertThat(reader.read()).isNull();
    assertThat(reader.read()).isNull();
    assertThat(queries).hasValue(1);

    late.completeExceptionally(new IllegalStateException("the loop threw"));
    assertThat(reader.read()).isSameAs(STATS);
    assertThat(queries).hasValue(2);
  }

  private static String scrape(Supplier<CompletionStage<StatsByName>> source) throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(
        new ProxyCollector(new StatsReader(source, Duration.ZERO, Duration.ofMillis(50))));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(text, registry.scrape());
    return text.toString(UTF_8);
  }

  private static long[] buckets() {
    long[] counts = new long[DurationBuckets.BOUNDED + 1];
    counts[0] = 6;
    counts[DurationBuckets.BOUNDED - 1] = 3;
    counts[DurationBuckets.BOUNDED] = 1;
    return counts;
  }
}
