package io.penstock.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.observe.StatsByName;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpServers;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.TopologyStatus.Sentinels;
import io.penstock.core.users.Users;
import io.penstock.core.users.UsersSettings;
import io.penstock.server.GeneratedTables;
import io.penstock.server.management.ManagementConfiguration;
import io.penstock.server.start.StartConfiguration;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.ConfigurationClassPostProcessor;
import org.springframework.mock.env.MockEnvironment;

class MetricsPageTest {

  private static final List<Sentinels> SENTINELS =
      List.of(
          new Sentinels("whole", 3, 3, 3, Map.of()), new Sentinels("broken", 3, 2, 1, Map.of()));

  @Test
  void tablesAreGeneratedFromTheCode() throws Exception {
    GeneratedTables.verify(MetricsPage.FILE, MetricsPage::table, MetricsPageTest.class);
  }

  @Test
  void everyMetricIsInOneTable() throws Exception {
    assertThat(MetricsPage.documented()).containsExactlyInAnyOrder(Metric.values());
  }

  @Test
  void whatIsDeclaredIsWhatIsExported() {
    Map<String, MetricSnapshot> exported = exported();

    assertThat(exported.keySet())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Metric.values()).map(Metric::baseName).toList());
    for (Metric metric : Metric.values()) {
      MetricSnapshot snapshot = of(metric, exported);
      assertThat(snapshot).isInstanceOf(type(metric));
      assertThat(snapshot.getMetadata().getHelp()).isEqualTo(metric.help());
      assertThat(snapshot.getDataPoints()).isNotEmpty();
      assertThat(snapshot.getDataPoints())
          .allSatisfy(point ->
              assertThat(
                      point.getLabels().stream()
                          .map(io.prometheus.metrics.model.snapshots.Label::getName))
                  .containsExactlyInAnyOrderElementsOf(metric.labels()));
    }
  }

  @Test
  void exportedLabelValuesAreDocumented() {
    Map<String, MetricSnapshot> exported = exported();

    for (Metric metric : Metric.values()) {
      for (String label : metric.labels()) {
        Set<String> documented = MetricsPage.values(metric, label).keySet();
        Set<String> values = new TreeSet<>();
        for (DataPointSnapshot point : of(metric, exported).getDataPoints()) {
          values.add("`" + point.getLabels().get(label) + "`");
        }
        if (documented.iterator().next().startsWith("`")) {
          assertThat(values)
              .as(metric + " " + label)
              .containsExactlyInAnyOrderElementsOf(documented);
        }
      }
    }
  }

  private static MetricSnapshot of(Metric metric, Map<String, MetricSnapshot> exported) {
    return Objects.requireNonNull(exported.get(metric.baseName()), metric::baseName);
  }

  private static Class<? extends MetricSnapshot> type(Metric metric) {
    return switch (metric.type()) {
      case COUNTER -> CounterSnapshot.class;
      case GAUGE -> GaugeSnapshot.class;
      case HISTOGRAM -> HistogramSnapshot.class;
    };
  }

  /** Returns what a running Penstock exports below {@code penstock_}, by name without suffix. */
  private static Map<String, MetricSnapshot> exported() {
    var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    PrometheusRegistry registry = meters.getPrometheusRegistry();
    registry.register(
        new ProxyCollector(
            new StatsReader(
                () -> CompletableFuture.completedFuture(byName(stats())),
                Duration.ZERO,
                Duration.ofSeconds(5))));
    registry.register(
        new UpstreamCollector(() ->
            List.of(
                new UpstreamCollector.View(
                    "default", upstream(), Instant.now(), true, SENTINELS))));
    registry.register(
        new CopyJobCollector(
            () -> Arrays.stream(CopyJobStatus.Kind.values()).map(MetricsPageTest::job).toList()));
    var users = new Users(new UsersSettings("penstock.users", List.of(), null, Map.of()));
    registry.register(new UsersCollector(() -> List.of(users)));
    TcpServer server = TcpServer.of(new Endpoint("h", 1));
    registry.register(
        new TcpCollector(() ->
            List.of(
                new TcpCollector.View(
                    "raw", List.of(new TcpServers.Status(server, true, null, 1, 2, 3, 4, 5)), 6))));
    new RefreshCounter(meters).ofUpstream(Label.ONLY);
    new EjectionCounter(
        meters,
        StartConfiguration.read(
                new MockEnvironment()
                    .withProperty("penstock.upstreams.x.shards.distribution", "modula")
                    .withProperty("penstock.upstreams.x.shards.servers", "redis://h:1,redis://h:2")
                    .withProperty("penstock.upstreams.x.shards.auto-eject.failures", "1"))
            .settings());
    new BundleReloadCounter(meters, Set.of("edge"));
    new MetricsConfiguration()
        .clientMemoryLimit(
            StartConfiguration.read(
                    new MockEnvironment()
                        .withProperty("penstock.transpond.local.resource", "redis://h:1"))
                .settings())
        .bindTo(meters);
    managementMeters().bindTo(meters);
    new ConfigurationMetrics().bindTo(meters);
    return registry.scrape().stream()
        .filter(snapshot -> snapshot.getMetadata().getName().startsWith("penstock_"))
        .collect(Collectors.toMap(snapshot -> snapshot.getMetadata().getName(), all -> all));
  }

  /** The management port's own counters, whose class is not public. */
  private static MeterBinder managementMeters() {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    new AnnotatedBeanDefinitionReader(beans).register(ManagementConfiguration.class);
    new ConfigurationClassPostProcessor().postProcessBeanDefinitionRegistry(beans);
    return beans.getBean(MeterBinder.class);
  }

  private static StatsByName byName(ProxyStats stats) {
    return new StatsByName(Map.of("default", stats), Map.of("default", stats), stats);
  }

  private static ProxyStats stats() {
    Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome, 1L);
    }
    return new ProxyStats(
        List.of(new CommandStats("GET", outcomes, new long[DurationBuckets.BOUNDED + 1], 1)),
        1,
        2,
        3,
        4,
        List.of(new NodeStats(new Endpoint("h", 1), 1, 2, 3, 4, 5, 6, 7, Map.of())),
        Map.of(),
        List.of(new LoopStats(0, 1, 2)),
        ProxyStats.PubSubStats.NONE,
        ProxyStats.Traffic.NONE,
        Map.of(),
        ProxyStats.HeldStats.NONE,
        new ProxyStats.Pressure(1, 2, 3, new HashMap<CloseReason, Long>(), 4, 5),
        ReadCounts.NONE,
        new ProxyStats.CrossSlotStats(Map.of("RENAME", 1L), Map.of("RENAME", 1L), 1, 1),
        new ShadowStats(
            1,
            1,
            1,
            Map.of("GET", 1L),
            Map.of(ShadowStats.Skipped.FULL, 1L),
            Map.of("timeout", 1L),
            ShadowStats.Durations.NONE,
            ShadowStats.Durations.NONE),
        new MirrorStats(
            List.of(
                new MirrorStats.Copy("far", 1, 1, 1, 1, 1, 1, Map.of("GET", 1L), 1, null, null)),
            1,
            1));
  }

  private static CopyJobCollector.View job(CopyJobStatus.Kind kind) {
    var status =
        new CopyJobStatus(
            kind,
            CopyJobStatus.State.ENDED,
            null,
            Instant.now(),
            Instant.now(),
            "none",
            1,
            1,
            1,
            1,
            1,
            -1,
            Map.of("failed", 1L, "differing", 1L),
            List.of(),
            true);
    return new CopyJobCollector.View("default", "far", status);
  }

  private static UpstreamStatus upstream() {
    List<NodeStatus> nodes = new ArrayList<>();
    nodes.add(new NodeStatus(new Endpoint("m", 1), true, true, true, Instant.now(), null));
    nodes.add(new NodeStatus(new Endpoint("r", 1), false, true, true, Instant.now(), null));
    var replica =
        new ReplicaStatus(
            new Endpoint("r", 1), new Endpoint("m", 1), ReplicaState.READABLE, 0, 5, 1, null, null);
    return new UpstreamStatus(Mockito.mock(Placement.class), 16_384, List.of(), nodes)
        .with(List.of(replica));
  }
}
