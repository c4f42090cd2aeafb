/**
 * The proxy's figures for Prometheus.
 *
 * <p>Counters belong to the event loops and are summed when somebody scrapes: {@link
 * io.penstock.server.metrics.StatsReader} asks the core, {@link
 * io.penstock.server.metrics.ProxyCollector} puts its answer into Prometheus's terms. Only rare
 * events are counted as they happen, in {@link io.penstock.server.metrics.RefreshCounter}.
 */
@NullMarked
package io.penstock.server.metrics;

import org.jspecify.annotations.NullMarked;
