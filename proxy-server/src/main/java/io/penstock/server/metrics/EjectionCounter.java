package io.penstock.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.change.SettingsListener;

/**
 * Counts servers that leave a layout of shards because they fail, and those that return. All series
 * exist from the start, so that the first ejection is an increase.
 */
final class EjectionCounter implements ProxyEvents, SettingsListener {

  private final MeterRegistry registry;

  EjectionCounter(MeterRegistry registry, ProxySettings settings) {
    this.registry = registry;
    settingsInForce(settings);
  }

  @Override
  public void settingsInForce(ProxySettings settings) {
    for (ProxySettings.Listener listener : settings.listeners()) {
      ProxySettings.Upstream upstream = settings.upstream(listener.upstream());
      if (!(upstream instanceof ProxySettings.Upstream.Resp resp)) {
        continue;
      }
      OfUpstream counters = new OfUpstream(registry, upstream.name());
      resp.kind()
          .tree()
          .filter(
              each -> each instanceof ShardsUpstreamSettings shards && shards.ejection() != null)
          .flatMap(each -> each.addresses().stream())
          .forEach(counters::register);
    }
  }

  @Override
  public ProxyEvents ofUpstream(Label upstream) {
    return new OfUpstream(registry, upstream.name());
  }

  /** The counters of one upstream. */
  private record OfUpstream(MeterRegistry registry, String upstream) implements ProxyEvents {

    void register(Endpoint node) {
      counter(Metric.NODE_EJECTIONS, node);
      counter(Metric.NODE_READMISSIONS, node);
    }

    @Override
    public void serverEjected(Endpoint node) {
      counter(Metric.NODE_EJECTIONS, node).increment();
    }

    @Override
    public void serverReadmitted(Endpoint node) {
      counter(Metric.NODE_READMISSIONS, node).increment();
    }

    private Counter counter(Metric metric, Endpoint node) {
      return Counter.builder(metric.meterName())
          .description(metric.help())
          .tag("upstream", upstream)
          .tag("node", node.toString())
          .register(registry);
    }
  }
}
