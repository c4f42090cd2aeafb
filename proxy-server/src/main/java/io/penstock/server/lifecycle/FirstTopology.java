package io.penstock.server.lifecycle;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs an action when the topology is first known. Events arrive on the core's threads. */
final class FirstTopology implements ProxyEvents {

  private final CompletableFuture<Placement> first = new CompletableFuture<>();

  /** Runs {@code action} as soon as the topology is known, or now if it is. */
  void then(Runnable action) {
    first.thenRun(action);
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    if (failure == null) {
      first.complete(now);
    }
  }
}
