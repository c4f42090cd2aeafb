package io.penstock.core.topology;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.LettucePinger;
import io.penstock.core.control.Outage;
import io.penstock.core.control.Pinger;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.RefreshSchedule.End;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several equal proxies, each of which serves all keys. Each has a lane: the clients of a lane use
 * its proxy while that answers, otherwise the next one in the list that does.
 *
 * <p>A refresh sends a {@code PING} to all proxies. It happens periodically, when the data path
 * loses a connection or gets no reply, and with a back-off while a proxy does not answer. If none
 * answers, all lanes stay where they are.
 *
 * <p>{@link #current} is for operators: the first proxy that answers is its master, and the others
 * are replicas. Clients never see it.
 */
final class ProxiesTopology extends RefreshedTopology {

  private static final Logger LOG = LoggerFactory.getLogger(ProxiesTopology.class);

  private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);

  /** A proxy that takes longer to answer a {@code PING} is left out. */
  static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(1);

  private final List<Endpoint> proxies;
  private final Map<Endpoint, Placement> placements = new LinkedHashMap<>(); // of lanes
  private final List<Lane> lanes = new ArrayList<>();
  private final Pinger pinger;
  private final LogPrefix logPrefix;
  private volatile Placement current;

  private Set<Endpoint> answering; // topology thread only

  /**
   * @param proxies each once, with their access
   */
  ProxiesTopology(List<Endpoint> proxies, Settings settings, Environment environment) {
    super(
        ErrorPolicy.SINGLE,
        environment.thread,
        ProxyEvents.NONE, // changes are reported, refreshes are not
        settings.times(environment.random));
    this.proxies = List.copyOf(proxies);
    this.pinger = environment.pinger;
    this.logPrefix = settings.logPrefix;
    this.answering = Set.copyOf(proxies);
    this.current = placementOfAll(proxies.getFirst());
    for (Endpoint proxy : proxies) {
      SinglePlacement own = new SinglePlacement(proxy);
      placements.put(proxy, own);
      lanes.add(new Lane(own));
    }
  }

  /**
   * How often proxies are checked.
   *
   * @param period between periodic refreshes
   * @param minRefreshInterval least time between two adaptive refreshes
   * @param logPrefix what log lines begin with
   */
  record Settings(Duration period, Duration minRefreshInterval, LogPrefix logPrefix) {

    private RefreshTimes times(RandomGenerator random) {
      return new RefreshTimes(
          period, minRefreshInterval, RefreshTimes.backoff(LONGEST_RETRY, random));
    }
  }

  /** Dependencies that tests replace. */
  record Environment(Pinger pinger, TopologyThread thread, RandomGenerator random) {

    static Environment of(ControlPlane control) {
      return new Environment(new LettucePinger(control), control.thread(), new SplittableRandom());
    }
  }

  /** What the clients of one lane see: one node that has all keys. */
  private final class Lane implements Topology {

    private volatile Placement current;

    Lane(Placement own) {
      this.current = own;
    }

    @Override
    public Placement current() {
      return current;
    }

    @Override
    public ErrorPolicy errorPolicy() {
      return ErrorPolicy.SINGLE;
    }

    @Override
    public void requestRefresh(RefreshTrigger trigger) {
      ProxiesTopology.this.requestRefresh(trigger);
    }
  }

  @Override
  public int lanes() {
    return lanes.size();
  }

  @Override
  public Topology lane(int index) {
    return lanes.get(index);
  }

  @Override
  public Placement current() {
    return current;
  }

  @Override
  protected void refresh(Refresh refresh) {
    new RefreshRound<Endpoint>(
            new RefreshRound.Queries<>(
                node -> pinger.ping(node).thenApply(_ -> node), ANSWER_TIMEOUT, proxies.size()),
            thread,
            proxies,
            _ -> RefreshRound.Rating.INSUFFICIENT, // wait for all
            round -> onAnswers(refresh, round))
        .start();
  }

  private void onAnswers(Refresh refresh, RefreshRound.Result<Endpoint> round) {
    if (schedule.isOver(refresh)) {
      return;
    }
    End end = End.FAILED;
    try {
      Set<Endpoint> now = new HashSet<>(round.views());
      logChanges(now, round.failures());
      answering = now;
      if (!now.isEmpty()) {
        end = now.size() == proxies.size() ? End.COMPLETE : End.INCOMPLETE;
        publish();
      }
    } finally {
      schedule.ended(end); // whatever was thrown: the next refresh depends on it
    }
  }

  private void logChanges(Set<Endpoint> now, Map<Endpoint, Throwable> failures) {
    for (Endpoint proxy : proxies) {
      boolean answered = answering.contains(proxy);
      Throwable failure = failures.get(proxy);
      if (answered && failure != null) {
        LOG.warn(
            "{}The proxy {} does not answer: {}; {}",
            logPrefix,
            proxy,
            Outage.reason(failure),
            now.isEmpty() ? "no other proxy answers" : "its clients use " + substitute(proxy, now));
      } else if (!answered && now.contains(proxy)) {
        LOG.info("{}The proxy {} answers again", logPrefix, proxy);
      }
    }
  }

  /** Returns the proxy for a lane: its own, or the next one that answers. */
  private Endpoint substitute(Endpoint own, Set<Endpoint> now) {
    int first = proxies.indexOf(own);
    for (int i = 0; i < proxies.size(); i++) {
      Endpoint proxy = proxies.get((first + i) % proxies.size());
      if (now.contains(proxy)) {
        return proxy;
      }
    }
    return own;
  }

  /** Listeners are told too if only a lane has changed. */
  private void publish() {
    boolean changed = false;
    for (int i = 0; i < proxies.size(); i++) {
      Placement next = placements.get(substitute(proxies.get(i), answering));
      Lane lane = lanes.get(i);
      if (next != null && next != lane.current) {
        lane.current = next;
        changed = true;
      }
    }
    Placement all = placementOfAll(substitute(proxies.getFirst(), answering));
    if (!all.equals(current)) {
      current = all;
      changed = true;
    }
    if (changed) {
      reports.changed(current);
    }
  }

  private Placement placementOfAll(Endpoint first) {
    List<Endpoint> others = proxies.stream().filter(proxy -> !proxy.equals(first)).toList();
    return new SinglePlacement(new Shard(first, others, 0));
  }
}
