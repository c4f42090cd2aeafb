package io.penstock.core.topology;

import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.TopologyStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports new placements of an upstream to listeners, and its refreshes as status and events. A
 * listener that throws stops neither the refresh nor other listeners.
 *
 * <p>{@link #onChange} and {@link #status} are safe from any thread. Everything else is confined to
 * the topology thread, which calls the listeners.
 */
public final class TopologyReports {

  private static final Logger LOG = LoggerFactory.getLogger(TopologyReports.class);

  private final TopologyThread thread;
  private final ProxyEvents events;
  private final List<Consumer<? super Placement>> listeners = new CopyOnWriteArrayList<>();
  private List<TopologyStatus.Sentinels> sentinels = List.of();
  private volatile TopologyStatus status = TopologyStatus.UNKNOWN;

  /**
   * @param thread its clock is the one of {@link Refresh#began}
   * @param events receives an event for each refresh
   */
  public TopologyReports(TopologyThread thread, ProxyEvents events) {
    this.thread = thread;
    this.events = events;
  }

  /** Adds a listener of new placements. */
  public void onChange(Consumer<? super Placement> listener) {
    listeners.add(listener);
  }

  /** Returns the status; {@link TopologyStatus#UNKNOWN} before the first refresh has ended. */
  public TopologyStatus status() {
    return status;
  }

  /** Calls the listeners. */
  public void changed(Placement now) {
    for (Consumer<? super Placement> listener : listeners) {
      try {
        listener.accept(now);
      } catch (RuntimeException e) {
        LOG.error("A listener of topology changes failed", e);
      }
    }
  }

  /** Sets the sentinels as the refresh that is reported next has found them. */
  public void sentinels(TopologyStatus.Sentinels now) {
    sentinels = List.of(now);
  }

  /**
   * Reports a refresh that succeeded.
   *
   * @param answeredBy gave the view that was used
   * @param nodes the members according to that view
   * @param now the placement after the refresh
   */
  public void succeeded(
      Refresh refresh, Endpoint answeredBy, List<TopologyStatus.Member> nodes, Placement now) {
    var last = refreshed(refresh, answeredBy, null);
    status = new TopologyStatus(last, last.at(), 0, nodes, sentinels);
    tell(last, now, null);
  }

  /**
   * Reports a refresh that failed. The status keeps the members.
   *
   * @param now the placement after the refresh
   */
  public void failed(Refresh refresh, Throwable failure, Placement now) {
    var last = refreshed(refresh, null, failure);
    TopologyStatus before = status;
    status =
        new TopologyStatus(
            last, before.lastSuccess(), before.failuresInARow() + 1, before.nodes(), sentinels);
    tell(last, now, failure);
  }

  private TopologyStatus.Refreshed refreshed(
      Refresh refresh, @Nullable Endpoint answeredBy, @Nullable Throwable failure) {
    return new TopologyStatus.Refreshed(
        Instant.now(),
        refresh.trigger(),
        Duration.ofNanos(thread.nanoTime() - refresh.began()),
        answeredBy,
        failure == null ? null : String.valueOf(failure.getMessage()));
  }

  private void tell(TopologyStatus.Refreshed last, Placement now, @Nullable Throwable failure) {
    try {
      events.topologyRefreshed(last.trigger(), last.took(), now, failure);
    } catch (Throwable e) {
      LOG.error("A listener of topology refreshes failed", e);
    }
  }
}
