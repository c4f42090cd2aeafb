package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyListener;
import io.penstock.server.config.Readiness;
import io.penstock.server.lifecycle.ProxyLifecycle;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The readiness of each listener by its name, as {@code /actuator/health/listeners/main}: for
 * probes of a service that needs only this one. Not part of the readiness group, which needs all.
 */
final class ListenersHealth implements CompositeHealthContributor {

  private final Proxy proxy;
  private final ProxyLifecycle lifecycle;
  private final Supplier<Readiness> rule;

  ListenersHealth(Proxy proxy, ProxyLifecycle lifecycle, Supplier<Readiness> rule) {
    this.proxy = proxy;
    this.lifecycle = lifecycle;
    this.rule = rule;
  }

  @Override
  public @Nullable HealthContributor getContributor(String name) {
    return proxy.listeners().stream()
        .filter(listener -> listener.name().equals(name))
        .findFirst()
        .map(this::indicator)
        .orElse(null);
  }

  @Override
  public Stream<HealthContributors.Entry> stream() {
    return proxy.listeners().stream()
        .map(listener -> new HealthContributors.Entry(listener.name(), indicator(listener)));
  }

  private HealthIndicator indicator(ProxyListener listener) {
    return () ->
        Health.status(
                ProxyHealth.isReady(listener, lifecycle, rule.get()) ? "UP" : "OUT_OF_SERVICE")
            .withDetail("upstream", listener.upstream().name())
            .build();
  }
}
