package io.penstock.core.topology;

import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.transport.Backoff;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topology of a Redis Cluster, kept current: periodically, and when the data path reports that
 * something changed. See the package for the classes a refresh goes through and {@link
 * KnownCluster} and {@link SlotPatches} for what may replace what.
 *
 * <p>A cluster that is down is waited for, at start and later: tries are repeated with a back-off,
 * and the last map stays in use.
 */
public final class ClusterTopology implements Upstream {

  private static final ErrorPolicy VERDICTS = new ClusterErrorPolicy();

  private static final Logger LOG = LoggerFactory.getLogger(ClusterTopology.class);

  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

  /**
   * A majority's view that epochs speak against is taken when this many refreshes in a row brought
   * it.
   */
  static final int STALE_REFRESHES_TO_ACCEPT = 3;

  private final Set<Endpoint> seeds;
  private final Duration answerTimeout;
  private final ProxyEvents events;
  private final ViewSource source;
  private final TopologyThread thread;
  private final RandomGenerator random;
  private final RefreshSchedule schedule;
  private final RefreshLog log;
  private final PublishedSlotMap published;
  private final AtomicLong refreshesBegun = new AtomicLong();
  private volatile TopologyStatus status = TopologyStatus.UNKNOWN;

  private KnownCluster knowledge = KnownCluster.NONE;
  private @Nullable Endpoint lastAnsweredBy;
  private int refusals;
  private boolean closed;

  private ClusterTopology(TopologySettings settings, ProxyEvents events, Outside outside) {
    this.seeds = Set.copyOf(settings.seeds());
    this.answerTimeout = settings.connectTimeout().multipliedBy(2);
    this.events = events;
    this.source = outside.source;
    this.thread = outside.thread;
    this.random = outside.random;
    this.log = new RefreshLog(settings.seeds(), thread::nanoTime);
    this.published = new PublishedSlotMap(thread);
    Duration longest =
        settings.period().compareTo(LONGEST_RETRY) < 0 ? settings.period() : LONGEST_RETRY;
    this.schedule =
        new RefreshSchedule(
            thread,
            settings.period(),
            settings.adaptiveTimeout(),
            new Backoff(FIRST_RETRY, longest, random),
            this::refresh);
  }

  /** What tests replace. */
  record Outside(ViewSource source, TopologyThread thread, RandomGenerator random) {}

  /** Makes a topology that has not asked anybody yet. */
  public static ClusterTopology create(
      TopologySettings settings, ControlPlane control, ProxyEvents events) {
    Outside outside =
        new Outside(new LettuceViewSource(control), control.thread(), new SplittableRandom());
    return create(settings, events, outside);
  }

  static ClusterTopology create(TopologySettings settings, ProxyEvents events, Outside outside) {
    return new ClusterTopology(settings, events, outside);
  }

  @Override
  public void start() {
    thread.execute(schedule::start);
  }

  @Override
  public void close() {
    thread.execute(() -> {
      closed = true;
      schedule.stop();
    });
  }

  @Override
  public SlotMap current() {
    return published.current();
  }

  @Override
  public ErrorPolicy errorPolicy() {
    return VERDICTS;
  }

  @Override
  public void moved(int slot, Endpoint owner) {
    published.patch(slot, owner, refreshesBegun.get(), thread.nanoTime());
    schedule.request(RefreshTrigger.MOVED);
  }

  /**
   * {@inheritDoc}
   *
   * <p>None is lost: what comes while a refresh runs, or too soon after one, leads to one more.
   */
  @Override
  public void requestRefresh(RefreshTrigger trigger) {
    schedule.request(trigger);
  }

  /** {@inheritDoc} Patches by redirects are changes too; the thread is the topology thread. */
  @Override
  public void onChange(Consumer<Placement> listener) {
    published.onChange(listener);
  }

  @Override
  public TopologyStatus status() {
    return status;
  }

  private void refresh(RefreshTrigger trigger) {
    var refresh = new Refresh(trigger, refreshesBegun.incrementAndGet(), thread.nanoTime());
    ViewChoice choice = new ViewChoice(knowledge, seeds, lastAnsweredBy);
    List<Endpoint> candidates =
        RefreshCandidates.order(lastAnsweredBy, knowledge.nodes(), seeds, random);
    new RefreshRound(
            source,
            thread,
            candidates,
            answerTimeout,
            choice::rate,
            result -> ended(refresh, choice, result))
        .start();
  }

  private void ended(Refresh refresh, ViewChoice choice, RefreshRound.Result result) {
    if (closed || refresh.number() != refreshesBegun.get()) { // one that failed half begun
      return;
    }
    RefreshSchedule.End end = RefreshSchedule.End.FAILED;
    RefreshTrigger trigger = refresh.trigger();
    Duration took = Duration.ofNanos(thread.nanoTime() - refresh.began());
    try {
      ClusterView view = choice.best(result.views());
      if (view == null) {
        throw NoViewException.of(result);
      }
      boolean agreed = take(view, refresh);
      log.succeeded(trigger, view, current());
      report(trigger, took, view, null);
      boolean settled = agreed && view.isOfMajority() && current().isFullyCovered();
      end = settled ? RefreshSchedule.End.SETTLED : RefreshSchedule.End.UNSETTLED;
    } catch (Throwable e) {
      log.failed(e);
      report(trigger, took, null, e);
    } finally {
      schedule.ended(end); // whatever was thrown: there is no next refresh before
    }
  }

  private boolean take(ClusterView view, Refresh refresh) {
    KnownCluster before = knowledge;
    KnownCluster.Merged merged = before.merge(view);
    if (!before.isSameCluster(view)) {
      log.clusterReplaced(view);
      merged = KnownCluster.of(view);
    } else if (merged.hasStaleClaims()) {
      log.staleView(view);
      refusals += view.isOfMajority() ? 1 : 0;
      if (refusals == STALE_REFRESHES_TO_ACCEPT) {
        log.staleViewAccepted(view, refusals);
        merged = KnownCluster.of(view);
      }
    }
    refusals = merged.hasStaleClaims() ? refusals : 0;
    knowledge = merged.now();
    lastAnsweredBy = view.source();
    return published.replace(refresh, view, before, merged);
  }

  private void report(
      RefreshTrigger trigger,
      Duration took,
      @Nullable ClusterView view,
      @Nullable Throwable failure) {
    TopologyStatus before = status;
    Instant now = Instant.now();
    status =
        new TopologyStatus(
            new TopologyStatus.Refreshed(
                now,
                trigger,
                took,
                view == null ? null : view.source(),
                failure == null ? null : String.valueOf(failure.getMessage())),
            failure == null ? now : before.lastSuccess(),
            failure == null ? 0 : before.failuresInARow() + 1,
            failure == null ? knowledge.members() : before.nodes());
    try {
      events.topologyRefreshed(trigger, took, current(), failure);
    } catch (Throwable e) {
      LOG.error("A listener failed on a topology refresh", e);
    }
  }
}
