package io.penstock.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.server.tls.ReloadListener;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts reloads of the SSL bundles of listeners and upstreams, and exports whether the latest one
 * was rejected. All series of a bundle exist from its first use. Thread-safe.
 */
final class BundleReloadCounter implements ReloadListener {

  /** Spring Boot's metric of a bundle's certificates. */
  private static final String CHAIN_EXPIRY = "ssl.chain.expiry";

  private final MeterRegistry registry;
  private final Map<String, Boolean> current = new ConcurrentHashMap<>();

  /**
   * @param bundles names of the bundles that listeners and upstreams use
   */
  BundleReloadCounter(MeterRegistry registry, Set<String> bundles) {
    this.registry = registry;
    bundles.forEach(bundle -> put(bundle, true));
  }

  private void put(String bundle, boolean applied) {
    if (current.put(bundle, applied) == null) {
      counter(bundle, true);
      counter(bundle, false);
      Gauge.builder(
              Metric.TLS_BUNDLE_CURRENT.meterName(),
              () -> Boolean.TRUE.equals(current.get(bundle)) ? 1 : 0)
          .description(Metric.TLS_BUNDLE_CURRENT.help())
          .tag("bundle", bundle)
          .register(registry);
    }
  }

  @Override
  public void onCurrent(String bundle) {
    put(bundle, true);
  }

  /** Removes all series of the bundle: an alert about its certificate would never end. */
  @Override
  public void onRemoved(String bundle) {
    current.remove(bundle);
    for (String name :
        List.of(
            Metric.TLS_BUNDLE_CURRENT.meterName(),
            Metric.TLS_BUNDLE_RELOADS.meterName(),
            CHAIN_EXPIRY)) {
      registry.find(name).tag("bundle", bundle).meters().forEach(registry::remove);
    }
  }

  @Override
  public void onReload(String bundle, boolean applied) {
    put(bundle, applied);
    counter(bundle, applied).increment();
  }

  private Counter counter(String bundle, boolean applied) {
    return Counter.builder(Metric.TLS_BUNDLE_RELOADS.meterName())
        .description(Metric.TLS_BUNDLE_RELOADS.help())
        .tag("bundle", bundle)
        .tag("outcome", applied ? "applied" : "rejected")
        .register(registry);
  }
}
