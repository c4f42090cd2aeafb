package io.penstock.core.topology;

import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.util.function.Consumer;

/**
 * An upstream that discovers its nodes with refreshes: what all kinds of it have in common. A kind
 * sends the queries of a refresh, publishes what was found, and tells {@link #schedule} and {@link
 * #reports} how it ended.
 */
public abstract class RefreshedTopology implements Upstream {

  protected final TopologyThread thread;
  protected final RefreshSchedule schedule;
  protected final TopologyReports reports;
  private final ErrorPolicy errorPolicy;

  /**
   * @param errorPolicy see {@link #errorPolicy}
   * @param events receives an event for each refresh that is reported
   */
  protected RefreshedTopology(
      ErrorPolicy errorPolicy, TopologyThread thread, ProxyEvents events, RefreshTimes times) {
    this.errorPolicy = errorPolicy;
    this.thread = thread;
    this.reports = new TopologyReports(thread, events);
    this.schedule = new RefreshSchedule(thread, times);
  }

  /**
   * Starts a refresh, on the topology thread. {@link RefreshSchedule#ended} must be called when it
   * has ended, unless {@link RefreshSchedule#isOver} then.
   */
  protected abstract void refresh(Refresh refresh);

  @Override
  public void start() {
    thread.execute(() -> schedule.start(this::refresh));
  }

  @Override
  public void close() {
    thread.execute(schedule::stop);
  }

  @Override
  public final ErrorPolicy errorPolicy() {
    return errorPolicy;
  }

  /**
   * {@inheritDoc}
   *
   * <p>No trigger is lost: a trigger that comes during a refresh, or too soon after one, results in
   * another refresh.
   */
  @Override
  public final void requestRefresh(RefreshTrigger trigger) {
    schedule.request(trigger);
  }

  /** {@inheritDoc} The thread is the topology thread. */
  @Override
  public final void onChange(Consumer<Placement> listener) {
    reports.onChange(listener);
  }

  @Override
  public final TopologyStatus status() {
    return reports.status();
  }
}
