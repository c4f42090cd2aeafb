package io.penstock.core.assembly;

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

  private final RespListener listener;
  private volatile Shown shown;

  /** What depends on the settings only. */
  private record Shown(
      ProxyFacts facts, @Nullable ClusterFacade facade, Map<String, String> config) {

    static Shown of(ProxyFacts facts, ProxySettings.Listener settings) {
      return new Shown(facts, settings.facade(), ConfigParameters.of(settings));
    }
  }

  ListenerView(RespListener listener, ProxyFacts facts, ProxySettings.Listener settings) {
    this.listener = listener;
    this.shown = Shown.of(facts, settings);
  }

  /** Shows other settings. */
  void adopt(ProxySettings.Listener settings) {
    ProxyFacts facts =
        shown.facts().with(settings.listen().maxClients(), settings.facade() != null);
    shown = Shown.of(facts, settings);
  }

  @Override
  public ProxyFacts facts() {
    return shown.facts();
  }

  @Override
  public @Nullable ClusterFacade facade() {
    return shown.facade();
  }

  @Override
  public Map<String, String> config() {
    return shown.config();
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
