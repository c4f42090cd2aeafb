package io.penstock.core.sentinel;

import io.penstock.core.observe.LogPrefix;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.util.List;

/**
 * How a master is found and refreshed.
 *
 * @param sentinels the sentinels to query first, with their access
 * @param connectTimeout for connecting to a sentinel or node; its answers may take as long again
 * @param period between periodic refreshes
 * @param minRefreshInterval least time between two adaptive refreshes
 * @param logPrefix what log lines begin with
 */
record SentinelSettings(
    List<Endpoint> sentinels,
    String masterName,
    Duration connectTimeout,
    Duration period,
    Duration minRefreshInterval,
    LogPrefix logPrefix) {

  /** For the only upstream. */
  SentinelSettings(
      List<Endpoint> sentinels,
      String masterName,
      Duration connectTimeout,
      Duration period,
      Duration minRefreshInterval) {
    this(sentinels, masterName, connectTimeout, period, minRefreshInterval, LogPrefix.NONE);
  }
}
