package io.penstock.server.lifecycle;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Notices when the cluster is known for the first time; told on the core's threads. */
final class FirstTopology implements ProxyEvents {

  private final CompletableFuture<Placement> view = new CompletableFuture<>();

  /** Runs {@code action} at once or as soon as the cluster is known. */
  void then(Runnable action) {
    view.thenRun(action);
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    if (failure == null) {
      view.complete(now);
    }
  }
}
