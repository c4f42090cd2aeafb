package io.penstock.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts refreshes of the topology of each upstream. All series exist from the start. */
final class RefreshCounter implements ProxyEvents {

  private final MeterRegistry registry;

  RefreshCounter(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public ProxyEvents ofUpstream(Label upstream) {
    return new OfUpstream(registry, upstream.name());
  }

  /** The counters of one upstream. */
  private static final class OfUpstream implements ProxyEvents {

    private final Map<RefreshTrigger, Counter> succeeded = new EnumMap<>(RefreshTrigger.class);
    private final Map<RefreshTrigger, Counter> failed = new EnumMap<>(RefreshTrigger.class);

    OfUpstream(MeterRegistry registry, String upstream) {
      for (RefreshTrigger trigger : RefreshTrigger.values()) {
        succeeded.put(trigger, counter(registry, upstream, trigger, "ok"));
        failed.put(trigger, counter(registry, upstream, trigger, "error"));
      }
    }

    @Override
    public void topologyRefreshed(
        RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
      Counter counter = (failure == null ? succeeded : failed).get(trigger);
      if (counter != null) {
        counter.increment();
      }
    }
  }

  private static Counter counter(
      MeterRegistry registry, String upstream, RefreshTrigger trigger, String outcome) {
    return Counter.builder(Metric.TOPOLOGY_REFRESHES.meterName())
        .description(Metric.TOPOLOGY_REFRESHES.help())
        .tag("upstream", upstream)
        .tag("trigger", trigger.name().toLowerCase(Locale.ROOT))
        .tag("outcome", outcome)
        .register(registry);
  }
}
