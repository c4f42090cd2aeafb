package io.penstock.server.lifecycle;

import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes each event to several listeners. */
final class CompositeProxyEvents implements ProxyEvents {

  private final List<ProxyEvents> listeners;

  CompositeProxyEvents(List<ProxyEvents> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  @Override
  public ProxyEvents ofUpstream(Label upstream) {
    return new CompositeProxyEvents(
        listeners.stream().map(each -> each.ofUpstream(upstream)).toList());
  }

  @Override
  public ProxyEvents ofListener(Label name) {
    return new CompositeProxyEvents(listeners.stream().map(each -> each.ofListener(name)).toList());
  }

  @Override
  public void clientRejected() {
    listeners.forEach(ProxyEvents::clientRejected);
  }

  @Override
  public void backendConnected(Endpoint node) {
    listeners.forEach(listener -> listener.backendConnected(node));
  }

  @Override
  public void backendDisconnected(Endpoint node, Throwable cause) {
    listeners.forEach(listener -> listener.backendDisconnected(node, cause));
  }

  @Override
  public void serverEjected(Endpoint node) {
    listeners.forEach(listener -> listener.serverEjected(node));
  }

  @Override
  public void serverReadmitted(Endpoint node) {
    listeners.forEach(listener -> listener.serverReadmitted(node));
  }

  @Override
  public void backendSilent(Endpoint node) {
    listeners.forEach(listener -> listener.backendSilent(node));
  }

  @Override
  public void failoverHoldBegan(@Nullable Endpoint node, @Nullable String rejection) {
    listeners.forEach(listener -> listener.failoverHoldBegan(node, rejection));
  }

  @Override
  public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
    listeners.forEach(listener -> listener.failoverHoldEnded(node, report));
  }

  @Override
  public void healthChecked(UpstreamStatus status) {
    listeners.forEach(listener -> listener.healthChecked(status));
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    listeners.forEach(listener -> listener.topologyRefreshed(trigger, took, now, failure));
  }
}
