package io.penstock.core.topology;

import io.penstock.core.observe.LogPrefix;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.List;

/**
 * How a cluster is discovered and refreshed.
 *
 * @param seeds the nodes to query first, and again if no known node answers
 * @param connectTimeout for connecting to a node; its answers may take as long again
 * @param period between periodic refreshes
 * @param minRefreshInterval least time between two adaptive refreshes
 * @param logPrefix what log lines begin with
 */
public record TopologySettings(
    List<Endpoint> seeds,
    Duration connectTimeout,
    Duration period,
    Duration minRefreshInterval,
    LogPrefix logPrefix) {

  public TopologySettings {
    seeds = List.copyOf(seeds);
  }

  /** For the only upstream. */
  public TopologySettings(
      List<Endpoint> seeds, Duration connectTimeout, Duration period, Duration minRefreshInterval) {
    this(seeds, connectTimeout, period, minRefreshInterval, LogPrefix.NONE);
  }
}
