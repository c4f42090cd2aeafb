package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.List;

/**
 * How a cluster is found and kept in view.
 *
 * @param seeds where to ask first, and again when no known node answers
 * @param connectTimeout for connecting to a node, and as long again for its answers
 * @param period between periodic refreshes
 * @param adaptiveTimeout at least this long between two adaptive refreshes
 */
public record TopologySettings(
    List<Endpoint> seeds, Duration connectTimeout, Duration period, Duration adaptiveTimeout) {

  public TopologySettings {
    seeds = List.copyOf(seeds);
  }
}
