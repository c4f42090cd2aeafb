package io.penstock.core;

import io.penstock.core.answer.ProxyView;
import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reachability;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the sessions of a service can read about it. */
final class ServiceProxyView implements ProxyView {

  private final Service service;
  private final ProxyFacts facts;
  private final @Nullable ClusterFacade facade;
  private final Map<String, String> config;

  ServiceProxyView(Service service, ProxyFacts facts, ProxySettings settings) {
    this.service = service;
    this.facade = settings.facade();
    this.config = ConfigParameters.of(settings);
    this.facts = facts;
  }

  @Override
  public ProxyFacts facts() {
    return facts;
  }

  @Override
  public @Nullable ClusterFacade facade() {
    return facade;
  }

  @Override
  public Map<String, String> config() {
    return config;
  }

  @Override
  public CompletionStage<ProxyStats> stats() {
    return service.stats();
  }

  @Override
  public int coveredSlots(Placement known) {
    return service.upstreamStatus().coveredSlots();
  }

  @Override
  public @Nullable String topologyFailure() {
    Reachability reach = service.reachability();
    return reach.reached() ? null : reach.failure();
  }

  @Override
  public @Nullable Instant topologyAsOf() {
    return service.upstream().status().lastSuccess();
  }
}
