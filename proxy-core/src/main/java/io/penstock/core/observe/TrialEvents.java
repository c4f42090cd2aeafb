package io.penstock.core.observe;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of an upstream on trial. They are kept until it is in use, and then passed on. If the
 * change of the settings is refused, nobody learns of them: they are not about the upstream of that
 * name that is in use. Keeps the first {@link #MOST}. Safe from any thread; its state is confined
 * to one.
 */
public final class TrialEvents implements ProxyEvents {

  private static final int MOST = 1_000;

  private final ProxyEvents target;
  private final Executor thread;
  private final List<Consumer<ProxyEvents>> kept = new ArrayList<>();
  private boolean trial = true;

  /**
   * @param thread passes on the events, in order
   */
  public TrialEvents(ProxyEvents target, Executor thread) {
    this.target = target;
    this.thread = thread;
  }

  /** Passes on what was kept, and everything from now on. Returns at once. */
  public void endTrial() {
    thread.execute(() -> {
      trial = false;
      kept.forEach(event -> event.accept(target));
      kept.clear();
    });
  }

  private void pass(Consumer<ProxyEvents> event) {
    thread.execute(() -> {
      if (!trial) {
        event.accept(target);
      } else if (kept.size() < MOST) {
        kept.add(event);
      }
    });
  }

  @Override
  public void backendConnected(Endpoint node) {
    pass(events -> events.backendConnected(node));
  }

  @Override
  public void backendDisconnected(Endpoint node, Throwable cause) {
    pass(events -> events.backendDisconnected(node, cause));
  }

  @Override
  public void backendSilent(Endpoint node) {
    pass(events -> events.backendSilent(node));
  }

  @Override
  public void serverEjected(Endpoint node) {
    pass(events -> events.serverEjected(node));
  }

  @Override
  public void serverReadmitted(Endpoint node) {
    pass(events -> events.serverReadmitted(node));
  }

  @Override
  public void failoverHoldBegan(@Nullable Endpoint node, @Nullable String rejection) {
    pass(events -> events.failoverHoldBegan(node, rejection));
  }

  @Override
  public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
    pass(events -> events.failoverHoldEnded(node, report));
  }

  @Override
  public void healthChecked(UpstreamStatus status) {
    pass(events -> events.healthChecked(status));
  }

  @Override
  public void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
    pass(events -> events.topologyRefreshed(trigger, took, now, failure));
  }
}
