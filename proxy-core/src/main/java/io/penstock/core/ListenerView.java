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

/**
 * The proxy as the clients of a listener see it: this listener and its upstream, and nothing of
 * others.
 */
final class ListenerView implements ProxyView {

  private final ProxyListener listener;
  private final ProxyFacts facts;
  private final @Nullable ClusterFacade facade;
  private final Map<String, String> config;

  ListenerView(ProxyListener listener, ProxyFacts facts, ProxySettings.Listener settings) {
    this.listener = listener;
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
    return listener.figures().thenCombine(listener.upstream().figures(), ProxyStats::plus);
  }

  @Override
  public int coveredSlots(Placement known) {
    return listener.upstream().status().coveredSlots();
  }

  @Override
  public @Nullable String topologyFailure() {
    Reachability reach = listener.upstream().reachability();
    return reach.reached() ? null : reach.failure();
  }

  @Override
  public @Nullable Instant topologyAsOf() {
    return listener.upstream().topologyStatus().lastSuccess();
  }
}
