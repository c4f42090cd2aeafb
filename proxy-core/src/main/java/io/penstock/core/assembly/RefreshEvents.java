package io.penstock.core.assembly;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes on what the discovery of an upstream reports. An upstream may consist of others, each of
 * which knows its own placement only: a refresh is reported with the placement of the whole.
 *
 * @param whole the latest placement
 */
record RefreshEvents(ProxyEvents events, Supplier<Placement> whole) implements ProxyEvents {

  @Override
  public void serverEjected(Endpoint node) {
    events.serverEjected(node);
  }

  @Override
  public void serverReadmitted(Endpoint node) {
    events.serverReadmitted(node);
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    events.topologyRefreshed(trigger, took, whole.get(), failure);
  }
}
