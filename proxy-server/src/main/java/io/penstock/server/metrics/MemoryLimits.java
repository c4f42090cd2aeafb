package io.penstock.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.server.change.SettingsListener;
import org.jspecify.annotations.Nullable;

/** The metric {@link Metric#CLIENT_MEMORY_LIMIT} of each listener that has a limit. */
final class MemoryLimits implements MeterBinder, SettingsListener {

  private volatile ProxySettings settings;
  private volatile @Nullable MultiGauge limits;

  MemoryLimits(ProxySettings settings) {
    this.settings = settings;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    limits =
        MultiGauge.builder(Metric.CLIENT_MEMORY_LIMIT.meterName())
            .description(Metric.CLIENT_MEMORY_LIMIT.help())
            .baseUnit("bytes")
            .register(registry);
    settingsInForce(settings);
  }

  @Override
  public void settingsInForce(ProxySettings now) {
    settings = now;
    MultiGauge gauges = limits;
    if (gauges != null) {
      gauges.register(
          now.listeners().stream()
              .filter(listener -> limit(listener) > 0)
              .map(listener -> Row.of(Tags.of("listener", listener.name()), limit(listener)))
              .toList(),
          true);
    }
  }

  private static long limit(ProxySettings.Listener listener) {
    return listener.listen().clients().memory();
  }
}
