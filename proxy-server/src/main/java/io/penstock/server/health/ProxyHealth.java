package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.Gap;
import io.penstock.core.upstream.Reachability;
import io.penstock.server.config.Readiness;
import io.penstock.server.lifecycle.ProxyLifecycle;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Readiness of the proxy: it listens, and the slots with an answering master satisfy the configured
 * rule. Part of the readiness group.
 */
class ProxyHealth extends AbstractHealthIndicator {

  /** The most ranges shown. A cluster with scattered slots may have thousands. */
  private static final int MAX_RANGES = 100;

  private final Proxy proxy;
  private final ProxyLifecycle lifecycle;
  private final Readiness rule;

  ProxyHealth(Proxy proxy, ProxyLifecycle lifecycle, Readiness rule) {
    super("the status of the proxy could not be read");
    this.proxy = proxy;
    this.lifecycle = lifecycle;
    this.rule = rule;
  }

  /**
   * Slots that cannot be served.
   *
   * @param slots a range as Redis writes it
   * @param master the master that does not answer; null if the slots have none
   * @param since when the master last answered, or since when the slots have had no master
   * @param reason why the master does not answer; null if unknown
   */
  record Uncovered(String slots, @Nullable String master, Instant since, @Nullable String reason) {

    static Uncovered of(Gap gap) {
      String master = gap.master() == null ? null : gap.master().toString();
      return new Uncovered(gap.slots(), master, gap.since(), gap.reason());
    }
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    boolean listening = lifecycle.isRunning();
    UpstreamStatus upstream = proxy.upstreamStatus();
    health.status(listening && rule.isMet(upstream) ? "UP" : "OUT_OF_SERVICE");
    health.withDetail("listening", listening);
    health.withDetail("rule", rule.key());
    Reachability reach = proxy.reachability();
    health.withDetail("reached", reach.reached());
    if (reach.failure() != null) {
      health.withDetail("failure", reach.failure());
    }
    health.withDetail("shards", upstream.topology().shards().size());
    health.withDetail("coveredSlots", upstream.coveredSlots());
    health.withDetail("uncovered", uncovered(upstream.gaps()));
  }

  private static List<Uncovered> uncovered(List<Gap> gaps) {
    return gaps.stream().limit(MAX_RANGES).map(Uncovered::of).toList();
  }
}
