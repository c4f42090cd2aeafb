package io.penstock.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.server.change.ReloadOutcome;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The metrics {@code penstock_configuration_*}. Thread-safe. */
public final class ConfigurationMetrics implements MeterBinder {

  private static final double MILLIS = 1e3;

  private final Map<ReloadOutcome, LongAdder> reloads = new EnumMap<>(ReloadOutcome.class);
  private volatile InForce inForce = new InForce(1, Instant.now(), 0);
  private volatile LongSupplier hash = () -> 0;
  private volatile boolean refused;

  ConfigurationMetrics() {
    for (ReloadOutcome outcome : ReloadOutcome.values()) {
      reloads.put(outcome, new LongAdder());
    }
  }

  /**
   * What is in force.
   *
   * @param version 1 at the start
   * @param since when it was applied
   * @param pending number of keys that need a restart
   */
  public record InForce(int version, Instant since, int pending) {}

  /** Sets where the hash of the configuration in force comes from. */
  public void hash(LongSupplier ofConfiguration) {
    hash = ofConfiguration;
  }

  /** A reload has ended, and this is in force. */
  public void reloaded(ReloadOutcome outcome, InForce now) {
    inForce = now;
    refused = outcome == ReloadOutcome.REFUSED;
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
    gauge(registry, Metric.CONFIGURATION_VERSION, () -> inForce.version());
    gauge(registry, Metric.CONFIGURATION_HASH, () -> hash.getAsLong());
    gauge(registry, Metric.CONFIGURATION_APPLIED, () -> inForce.since().toEpochMilli() / MILLIS);
    gauge(registry, Metric.CONFIGURATION_LAST_RELOAD_REFUSED, () -> refused ? 1 : 0);
    gauge(registry, Metric.CONFIGURATION_RESTART_PENDING, () -> inForce.pending());
  }

  private static void gauge(MeterRegistry registry, Metric metric, Supplier<Number> value) {
    Gauge.builder(metric.meterName(), value).description(metric.help()).register(registry);
  }
}
