package io.penstock.core.observe;

import java.util.Map;

/**
 * The statistics of the parts of a proxy at one moment, by their names. What a part does not count
 * is zero: listeners count clients, commands and redirects; upstreams count connections to nodes,
 * requests in failover holds and subscribed names.
 *
 * @param loops with nothing but the event loops, which all parts share
 */
public record StatsByName(
    Map<String, ProxyStats> listeners, Map<String, ProxyStats> upstreams, ProxyStats loops) {

  /** All counters are zero. */
  public static final StatsByName NONE = new StatsByName(Map.of(), Map.of(), ProxyStats.NONE);

  /** Returns the sum of all parts. */
  public ProxyStats sum() {
    ProxyStats sum = loops;
    for (ProxyStats each : listeners.values()) {
      sum = sum.plus(each);
    }
    for (ProxyStats each : upstreams.values()) {
      sum = sum.plus(each);
    }
    return sum;
  }
}
