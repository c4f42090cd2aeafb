/**
 * Metrics for Prometheus.
 *
 * <p>{@link io.penstock.server.metrics.Metric} declares every metric. Event loops count, and their
 * counters are summed at each scrape: {@link io.penstock.server.metrics.StatsReader} queries the
 * core, and {@link io.penstock.server.metrics.ProxyCollector} translates the result. Only rare
 * events are counted as they happen, in {@link io.penstock.server.metrics.RefreshCounter} and
 * {@link io.penstock.server.metrics.BundleReloadCounter}.
 */
@NullMarked
package io.penstock.server.metrics;

import org.jspecify.annotations.NullMarked;
