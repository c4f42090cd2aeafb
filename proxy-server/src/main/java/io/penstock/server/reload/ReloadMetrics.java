package io.penstock.server.reload;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.server.metrics.Metric;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** The metrics {@code penstock_configuration_*}. Thread-safe. */
final class ReloadMetrics implements MeterBinder {

  private static final double MILLIS = 1e3;

  private final ConfigurationInForce inForce;
  private final Map<Outcome, LongAdder> reloads = new EnumMap<>(Outcome.class);

  ReloadMetrics(ConfigurationInForce inForce) {
    this.inForce = inForce;
    for (Outcome outcome : Outcome.values()) {
      reloads.put(outcome, new LongAdder());
    }
  }

  void count(Outcome outcome) {
    LongAdder count = reloads.get(outcome);
    if (count != null) {
      count.increment();
    }
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    reloads.forEach((outcome, count) ->
        FunctionCounter.builder(
                Metric.CONFIGURATION_RELOADS.meterName(), count, LongAdder::doubleValue)
            .description(Metric.CONFIGURATION_RELOADS.help())
            .tag("outcome", outcome.text())
            .register(registry));
    gauge(registry, Metric.CONFIGURATION_VERSION, () -> inForce.current().version());
    gauge(
        registry,
        Metric.CONFIGURATION_APPLIED,
        () -> inForce.current().since().toEpochMilli() / MILLIS);
    gauge(registry, Metric.CONFIGURATION_LAST_RELOAD_REFUSED, () -> refused() ? 1 : 0);
    gauge(registry, Metric.CONFIGURATION_RESTART_PENDING, () -> inForce.current().pending().size());
  }

  private boolean refused() {
    Attempt last = inForce.current().lastAttempt();
    return last != null && last.outcome() == Outcome.REFUSED;
  }

  private static void gauge(MeterRegistry registry, Metric metric, Supplier<Number> value) {
    Gauge.builder(metric.meterName(), value).description(metric.help()).register(registry);
  }
}
