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
 * Ready for clients: listening, and as many slots have a master that answers as the configured rule
 * asks for. Part of the readiness group.
 */
class ProxyHealth extends AbstractHealthIndicator {

  /** A cluster whose slots are scattered may have thousands of ranges. */
  private static final int RANGES = 100;

  private final Proxy proxy;
  private final ProxyLifecycle lifecycle;
  private final Readiness rule;

  ProxyHealth(Proxy proxy, ProxyLifecycle lifecycle, Readiness rule) {
    super("asking the proxy failed");
    this.proxy = proxy;
    this.lifecycle = lifecycle;
    this.rule = rule;
  }

  /**
   * Slots that cannot be served.
   *
   * @param slots a range as Redis writes it
   * @param master that does not answer; null where there is none
   * @param since when it last answered, or since when there has been none
   * @param reason why it does not answer, if that is known
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
    return gaps.stream().limit(RANGES).map(Uncovered::of).toList();
  }
}
