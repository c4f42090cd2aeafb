package io.penstock.core;

import io.penstock.core.cluster.Facade;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.session.ServerFace;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A proxy as its clients' sessions may ask about it. */
final class ProxyFace implements ServerFace {

  private final Proxy proxy;
  private final ProxyFacts facts;
  private final @Nullable Facade facade;

  ProxyFace(Proxy proxy, ProxyFacts facts, @Nullable Facade facade) {
    this.proxy = proxy;
    this.facade = facade;
    this.facts = facts;
  }

  @Override
  public ProxyFacts facts() {
    return facts;
  }

  @Override
  public @Nullable Facade facade() {
    return facade;
  }

  @Override
  public CompletionStage<ProxyStats> stats() {
    return proxy.stats();
  }

  @Override
  public @Nullable Instant topologyAsOf() {
    return proxy.topologyStatus().lastSuccess();
  }
}
