package io.penstock.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.StatsByName;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.server.metrics.DeprecatedMetrics.OldName;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.mock.env.MockEnvironment;

class DeprecatedMetricsTest {

  private static final ProxyStats PART =
      new ProxyStats(
          List.of(),
          5,
          7,
          2,
          9,
          List.of(new NodeStats(new Endpoint("h", 7000), 1, 7, 2, 3, 4, 5, 6)),
          Map.of(RetryablePrefix.MOVED, 8L),
          List.of(),
          ProxyStats.PubSubStats.NONE,
          ProxyStats.Traffic.NONE,
          Map.of(),
          new ProxyStats.HeldStats(3, new long[] {11, 12, 13, 14}),
          new ProxyStats.Pressure(11, 12, 13, Map.of(CloseReason.IDLE, 14L), 15),
          ReadCounts.NONE);

  private static final StatsByName STATS =
      new StatsByName(Map.of("l", PART), Map.of("u", PART), PART);

  private final AtomicInteger questions = new AtomicInteger();

  @Test
  void oldNamesShowTheSameValues() throws IOException {
    assertThat(scrape(DeprecatedMetrics.withOldNames(proxy())))
        .contains("penstock_client_connections_refused_total{listener=\"l\"} 2.0")
        .contains("penstock_client_connections_closed_total{listener=\"l\",reason=\"idle\"} 14.0")
        .contains("penstock_held_requests{upstream=\"u\"} 3.0")
        .contains("penstock_node_errors_total{node=\"h:7000\",upstream=\"u\"} 6.0")
        .contains("penstock_redirects_total{listener=\"l\",type=\"moved\"} 8.0")
        .contains("penstock_figures_age_seconds ");
  }

  @Test
  void oldNamesKeepTheirOldLabelValues() throws IOException {
    assertThat(scrape(DeprecatedMetrics.withOldNames(proxy())))
        .contains("penstock_failover_hold_outcomes_total{outcome=\"rejected\",upstream=\"u\"} 14.0")
        .contains("penstock_hold_outcomes_total{outcome=\"served\",upstream=\"u\"} 11.0")
        .contains("penstock_hold_outcomes_total{outcome=\"given_up\",upstream=\"u\"} 12.0")
        .contains("penstock_hold_outcomes_total{outcome=\"dropped\",upstream=\"u\"} 13.0")
        .contains("penstock_hold_outcomes_total{outcome=\"refused\",upstream=\"u\"} 14.0");
  }

  @Test
  void theHelpOfAnOldNameIsTheNewName() throws IOException {
    String text = scrape(DeprecatedMetrics.withOldNames(proxy()));

    for (OldName old : DeprecatedMetrics.oldNames()) {
      if (old.now() != Metric.MANAGEMENT_REQUESTS_REJECTED) {
        assertThat(text)
            .contains(
                "# HELP " + old.exportedName() + " Deprecated: use " + old.now().exportedName())
            .contains("# TYPE " + old.exportedName() + " " + type(old));
      }
    }
  }

  private static String type(OldName old) {
    return old.now().type() == Metric.Type.COUNTER ? "counter" : "gauge";
  }

  @Test
  void newMetricsStayAsTheyAre() throws IOException {
    String without = scrape(proxy());

    assertThat(scrape(DeprecatedMetrics.withOldNames(proxy())).lines().filter(line -> !isAge(line)))
        .containsAll(without.lines().filter(line -> !isAge(line)).toList());
  }

  private static boolean isAge(String line) {
    return line.startsWith("penstock_stats_age") || line.startsWith("penstock_figures_age");
  }

  @Test
  void eventLoopsAreQueriedOnceForBothNames() throws IOException {
    scrape(DeprecatedMetrics.withOldNames(proxy()));

    assertThat(questions).hasValue(1);
  }

  @Test
  void aMeterHasItsOldNameToo() {
    var meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    meters.getPrometheusRegistry().register(DeprecatedMetrics.ofMeters(meters));
    assertThat(meters.scrape()).doesNotContain("penstock_");

    ToDoubleFunction<Integer> value = count -> count;
    FunctionCounter.builder(Metric.MANAGEMENT_REQUESTS_REJECTED.meterName(), 7, value)
        .tag("reason", "busy")
        .register(meters);

    assertThat(meters.scrape())
        .contains("penstock_management_requests_rejected_total{reason=\"busy\"} 7.0")
        .contains("penstock_management_refused_total{reason=\"busy\"} 7.0")
        .contains(
            "# HELP penstock_management_refused_total Deprecated: use"
                + " penstock_management_requests_rejected_total.");
  }

  @ParameterizedTest
  @CsvSource({
    "9180, 'health, prometheus', true",
    "9180, '*', true",
    "0, prometheus, true",
    "-1, prometheus, false",
    "9180, health, false"
  })
  void theLogSaysSoWhereMetricsAreExported(String port, String exposed, boolean expected) {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty("server.port", port);
    environment.setProperty("management.endpoints.web.exposure.include", exposed);
    SmartInitializingSingleton start =
        new MetricsConfiguration()
            .deprecatedMetrics(
                new PrometheusRegistry(),
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                environment);

    Logger logger = (Logger) LoggerFactory.getLogger(MetricsConfiguration.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
    log.start();

    start.afterSingletonsInstantiated();

    logger.detachAppender(log);
    logger.setLevel(before);
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .hasSize(expected ? 1 : 0)
        .allMatch(line -> line.startsWith("8 metrics have new names (docs/reference/metrics.md)"));
  }

  private ProxyCollector proxy() {
    return new ProxyCollector(
        new StatsReader(
            () -> {
              questions.incrementAndGet();
              return CompletableFuture.completedFuture(STATS);
            },
            Duration.ZERO,
            Duration.ofMillis(500)));
  }

  private static String scrape(MultiCollector collector) throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(collector);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(text, registry.scrape());
    return text.toString(UTF_8);
  }
}
