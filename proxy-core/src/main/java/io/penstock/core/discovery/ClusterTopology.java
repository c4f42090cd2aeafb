package io.penstock.core.discovery;

import io.penstock.core.cluster.ClusterErrorPolicy;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.Refresh;
import io.penstock.core.topology.RefreshRound;
import io.penstock.core.topology.RefreshSchedule;
import io.penstock.core.topology.RefreshTimes;
import io.penstock.core.topology.RefreshedTopology;
import io.penstock.core.topology.TopologySettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The topology of a Redis Cluster. It is refreshed periodically, and when the data path reports a
 * change. The package documentation lists the classes of a refresh. {@link KnownCluster} and {@link
 * SlotPatches} have the rules for which information replaces which.
 *
 * <p>If the cluster is down, at start or later, refreshes are repeated with a back-off, and the
 * last slot map stays in use.
 */
public final class ClusterTopology extends RefreshedTopology {

  private static final ErrorPolicy ERROR_POLICY = new ClusterErrorPolicy();

  /** Refreshes in a row after which a majority's view with lower epochs than known is accepted. */
  static final int STALE_REFRESHES_TO_ACCEPT = 3;

  private final Set<Endpoint> seeds;
  private final Duration answerTimeout;
  private final ViewSource source;
  private final RandomGenerator random;
  private final RefreshLog log;
  private final PublishedSlotMap published;

  private KnownCluster knowledge = KnownCluster.NONE;
  private @Nullable Endpoint lastAnsweredBy;
  private int staleRefreshes;

  private ClusterTopology(TopologySettings settings, ProxyEvents events, Environment environment) {
    super(
        ERROR_POLICY,
        environment.thread,
        events,
        RefreshTimes.of(settings.period(), settings.minRefreshInterval(), environment.random));
    this.seeds = Set.copyOf(settings.seeds());
    this.answerTimeout = settings.connectTimeout().multipliedBy(2);
    this.source = environment.source;
    this.random = environment.random;
    this.log = new RefreshLog(settings.seeds(), settings.logPrefix(), thread::nanoTime);
    this.published = new PublishedSlotMap(thread, reports::changed);
  }

  /** Dependencies that tests replace. */
  record Environment(ViewSource source, TopologyThread thread, RandomGenerator random) {}

  /** Creates a topology. Sends nothing before {@link #start}. */
  public static ClusterTopology create(
      TopologySettings settings, ControlPlane control, ProxyEvents events) {
    Environment environment =
        new Environment(new LettuceViewSource(control), control.thread(), new SplittableRandom());
    return create(settings, events, environment);
  }

  static ClusterTopology create(
      TopologySettings settings, ProxyEvents events, Environment environment) {
    return new ClusterTopology(settings, events, environment);
  }

  @Override
  public SlotMap current() {
    return published.current();
  }

  @Override
  public void moved(int slot, Endpoint owner) {
    published.patch(slot, owner, schedule.begun(), thread.nanoTime());
    schedule.request(RefreshTrigger.MOVED);
  }

  @Override
  public boolean isInCluster(Endpoint node) {
    return true;
  }

  @Override
  protected void refresh(Refresh refresh) {
    ViewChoice choice = new ViewChoice(knowledge, seeds, lastAnsweredBy);
    List<Endpoint> candidates =
        RefreshCandidates.order(lastAnsweredBy, knowledge.nodes(), seeds, random);
    new RefreshRound<>(
            new RefreshRound.Queries<>(source::query, answerTimeout, RefreshRound.WAVE_SIZE),
            thread,
            candidates,
            choice::rate,
            result -> onEnded(refresh, choice, result))
        .start();
  }

  private void onEnded(
      Refresh refresh, ViewChoice choice, RefreshRound.Result<ClusterView> result) {
    if (schedule.isOver(refresh)) {
      return;
    }
    RefreshSchedule.End end = RefreshSchedule.End.FAILED;
    try {
      ClusterView view = choice.best(result.views());
      if (view == null) {
        throw NoViewException.of(result);
      }
      boolean agreed = apply(view, refresh);
      log.succeeded(refresh.trigger(), view, current());
      reports.succeeded(refresh, view.source(), knowledge.members(), current());
      boolean complete = agreed && view.isOfMajority() && current().isFullyCovered();
      end = complete ? RefreshSchedule.End.COMPLETE : RefreshSchedule.End.INCOMPLETE;
    } catch (Throwable e) {
      log.failed(e);
      reports.failed(refresh, e, current());
    } finally {
      schedule.ended(end); // whatever was thrown: the next refresh depends on it
    }
  }

  private boolean apply(ClusterView view, Refresh refresh) {
    KnownCluster before = knowledge;
    KnownCluster.Merged merged = before.merge(view);
    if (!before.isSameCluster(view)) {
      log.clusterReplaced(view);
      merged = KnownCluster.of(view);
    } else if (merged.hasStaleClaims()) {
      log.staleView(view);
      staleRefreshes += view.isOfMajority() ? 1 : 0;
      if (staleRefreshes == STALE_REFRESHES_TO_ACCEPT) {
        log.staleViewAccepted(view, staleRefreshes);
        merged = KnownCluster.of(view);
      }
    }
    staleRefreshes = merged.hasStaleClaims() ? staleRefreshes : 0;
    knowledge = merged.now();
    lastAnsweredBy = view.source();
    return published.replace(refresh, view, before, merged);
  }
}
