package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.Gap;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.server.config.Readiness;
import io.penstock.server.lifecycle.ProxyLifecycle;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Readiness of the proxy: all listeners are ready. A listener is ready if it listens and the slots
 * of its upstream that masters serve satisfy the configured rule. Part of the readiness group.
 */
class ProxyHealth extends AbstractHealthIndicator {

  /** The most ranges shown. A cluster with scattered slots may have thousands. */
  private static final int MAX_RANGES = 100;

  private final Proxy proxy;
  private final ProxyLifecycle lifecycle;
  private final Supplier<Readiness> rule;

  ProxyHealth(Proxy proxy, ProxyLifecycle lifecycle, Supplier<Readiness> rule) {
    super("the status of the proxy could not be read");
    this.proxy = proxy;
    this.lifecycle = lifecycle;
    this.rule = rule;
  }

  /**
   * Slots, or a server without slots, that cannot be served.
   *
   * @param slots a range as Redis writes it; null unless the upstream is a cluster
   * @param master the master that does not serve them; null if the slots have none
   * @param since when the master last served, or since when the slots have had no master
   * @param reason why the master does not serve; null if unknown
   */
  record Uncovered(
      @Nullable String slots, @Nullable String master, Instant since, @Nullable String reason) {

    static Uncovered of(Gap gap, boolean hasSlots) {
      String master = gap.master() == null ? null : gap.master().toString();
      return new Uncovered(hasSlots ? gap.slots() : null, master, gap.since(), gap.reason());
    }
  }

  /**
   * Returns whether a listener is ready.
   *
   * @param rule which slots of its upstream must be covered
   */
  static boolean isReady(ProxyListener listener, ProxyLifecycle lifecycle, Readiness rule) {
    return lifecycle.isRunning() && listener.isListening() && isMet(listener.upstream(), rule);
  }

  static boolean isMet(ProxyUpstream upstream, Readiness rule) {
    return switch (upstream) {
      case RespUpstream resp -> rule.isMet(resp.status());
      case TcpUpstream tcp -> rule.isMet(tcp.isReady(), tcp.isComplete());
    };
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    List<ProxyListener> listeners = proxy.listeners();
    boolean ready = true;
    Map<String, Object> each = new LinkedHashMap<>();
    for (ProxyListener listener : listeners) {
      boolean up = isReady(listener, lifecycle, rule.get());
      ready &= up;
      each.put(listener.name(), details(listener, up));
    }
    health.status(ready ? "UP" : "OUT_OF_SERVICE");
    health.withDetail("listening", lifecycle.isRunning());
    health.withDetail("rule", rule.get().key());
    if (listeners.size() == 1) {
      details(listeners.getFirst().upstream()).forEach(health::withDetail);
    } else {
      health.withDetail("listeners", each);
    }
  }

  private Map<String, Object> details(ProxyListener listener, boolean ready) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("status", ready ? "UP" : "OUT_OF_SERVICE");
    details.put("listening", lifecycle.isRunning() && listener.isListening());
    details.put("upstream", listener.upstream().name());
    details.putAll(details(listener.upstream()));
    return details;
  }

  private static Map<String, Object> details(ProxyUpstream of) {
    return switch (of) {
      case RespUpstream resp -> details(resp);
      case TcpUpstream tcp ->
          Map.of("servers", tcp.status().stream().map(TcpServerView::of).toList());
    };
  }

  private static Map<String, Object> details(RespUpstream of) {
    Map<String, Object> details = new LinkedHashMap<>();
    UpstreamStatus upstream = of.status();
    Reachability reach = of.reachability();
    details.put("reached", reach.reached());
    if (reach.failure() != null) {
      details.put("failure", reach.failure());
    }
    List<TopologyStatus.Sentinels> sentinels = of.topologyStatus().sentinels();
    if (!sentinels.isEmpty()) {
      details.put("sentinels", sentinels);
    }
    details.put("shards", upstream.topology().shards().size());
    details.put("coveredSlots", upstream.coveredSlots());
    details.put("uncovered", uncovered(upstream));
    return details;
  }

  private static List<Uncovered> uncovered(UpstreamStatus upstream) {
    boolean hasSlots = ShownSlots.areReal(upstream.topology());
    return upstream.gaps().stream()
        .limit(MAX_RANGES)
        .map(gap -> Uncovered.of(gap, hasSlots))
        .toList();
  }
}
