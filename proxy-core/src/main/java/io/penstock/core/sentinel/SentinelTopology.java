package io.penstock.core.sentinel;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.Outage;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.sentinel.MasterChoice.KnownMaster;
import io.penstock.core.topology.Refresh;
import io.penstock.core.topology.RefreshRound;
import io.penstock.core.topology.RefreshSchedule.End;
import io.penstock.core.topology.RefreshTimes;
import io.penstock.core.topology.RefreshedTopology;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.UnknownPlacement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A master with replicas that Redis Sentinel manages. It is refreshed periodically, when the data
 * path reports a change, and at once when a sentinel sends a message about it.
 *
 * <p>A refresh queries all sentinels at once ({@link RefreshRound}); {@link MasterChoice} orders
 * what they claim; {@link MasterCheck} asks a new master for its role; then the result is
 * published. If no refresh succeeds, at start or later, it is repeated with a back-off, and the
 * last placement stays in use.
 */
final class SentinelTopology extends RefreshedTopology {

  private static final ErrorPolicy ERROR_POLICY = new SentinelErrorPolicy();

  /**
   * Refreshes in a row, at least {@link #STALE_INTERVAL} apart, after which a majority's claim with
   * a lower epoch than known is accepted.
   */
  static final int STALE_REFRESHES_TO_ACCEPT = 3;

  static final Duration STALE_INTERVAL = Duration.ofSeconds(1);

  private final String masterName;
  private final Duration answerTimeout;
  private final SentinelSource source;
  private final SentinelDirectory directory;
  private final SentinelSubscriptions subscriptions;
  private final SentinelLog log;
  private volatile Placement current = UnknownPlacement.INSTANCE;

  private @Nullable KnownMaster known;
  private int staleRefreshes;
  private long lastStale; // valid if staleRefreshes > 0

  private SentinelTopology(SentinelSettings settings, ProxyEvents events, Environment environment) {
    super(
        ERROR_POLICY,
        environment.thread,
        events,
        RefreshTimes.of(settings.period(), settings.minRefreshInterval(), environment.random));
    this.masterName = settings.masterName();
    this.answerTimeout = settings.connectTimeout().multipliedBy(2);
    this.source = environment.source;
    this.directory = new SentinelDirectory(settings.sentinels());
    this.log = new SentinelLog(settings, thread::nanoTime);
    this.subscriptions =
        new SentinelSubscriptions(
            source,
            thread,
            RefreshTimes.backoff(environment.random),
            () -> schedule.request(RefreshTrigger.SENTINEL),
            () -> schedule.request(RefreshTrigger.RECONNECT));
  }

  /** Dependencies that tests replace. */
  record Environment(SentinelSource source, TopologyThread thread, RandomGenerator random) {}

  /**
   * Creates a topology. Sends nothing before {@link #start}.
   *
   * @param nodes access to the master and its replicas
   */
  static SentinelTopology create(
      SentinelSettings settings, Access nodes, ControlPlane control, ProxyEvents events) {
    var source = new LettuceSentinelSource(control, settings.masterName(), nodes);
    return create(
        settings, events, new Environment(source, control.thread(), new SplittableRandom()));
  }

  static SentinelTopology create(
      SentinelSettings settings, ProxyEvents events, Environment environment) {
    return new SentinelTopology(settings, events, environment);
  }

  @Override
  public void start() {
    thread.execute(() -> {
      subscriptions.update(directory.addresses());
      schedule.start(this::refresh);
    });
  }

  @Override
  public void close() {
    thread.execute(() -> {
      schedule.stop();
      subscriptions.close();
    });
  }

  @Override
  public Placement current() {
    return current;
  }

  @Override
  protected void refresh(Refresh refresh) {
    var choice = new MasterChoice(directory, known);
    Set<Endpoint> sentinels = directory.addresses();
    new RefreshRound<>(
            new RefreshRound.Queries<>(source::query, answerTimeout, sentinels.size()),
            thread,
            sentinels,
            choice::rate,
            round -> onAnswers(refresh, new Answers(sentinels, choice, round)))
        .start();
  }

  private void onAnswers(Refresh refresh, Answers answers) {
    if (schedule.isOver(refresh)) {
      return;
    }
    MasterChoice choice = answers.choice;
    directory.answered(answers.round.views(), answers.round.failures().keySet());
    boolean acceptStale = countStale(choice);
    new MasterCheck(source, thread, answerTimeout, known == null ? null : known.master())
        .start(choice.candidates(acceptStale), result -> onChecked(refresh, answers, result));
  }

  /** Returns whether an old claim was repeated often enough to be accepted. */
  private boolean countStale(MasterChoice choice) {
    if (!choice.isStale()) {
      staleRefreshes = 0;
      return false;
    }
    long now = thread.nanoTime();
    if (staleRefreshes == 0 || now - lastStale >= STALE_INTERVAL.toNanos()) {
      staleRefreshes++;
      lastStale = now;
    }
    return staleRefreshes >= STALE_REFRESHES_TO_ACCEPT;
  }

  /** What the sentinels answered to a refresh, and which of it is believed. */
  private record Answers(
      Set<Endpoint> queried, MasterChoice choice, RefreshRound.Result<SentinelView> round) {}

  /** Counts the sentinels that answer, and those that name the master in use. */
  private TopologyStatus.Sentinels sentinels(Answers answers) {
    Collection<SentinelView> views = answers.choice.views();
    Set<Endpoint> silent = new LinkedHashSet<>(answers.queried);
    answers.round.views().forEach(view -> silent.remove(view.source()));
    Map<String, String> failures = new LinkedHashMap<>();
    int late = 0; // the round did not wait for them
    for (Endpoint sentinel : silent) {
      Throwable failure = answers.round.failures().get(sentinel);
      if (failure == null && subscriptions.isAlive(sentinel)) {
        late++;
      } else {
        failures.put(sentinel.toString(), failure == null ? "no answer" : Outage.reason(failure));
      }
    }
    Endpoint master = known == null ? null : known.master();
    int agreeing = (int) views.stream().filter(view -> view.master().equals(master)).count();
    int count = directory.count(views);
    return new TopologyStatus.Sentinels(
        masterName, count, Math.min(count, views.size() + late), agreeing, failures);
  }

  private void onChecked(Refresh refresh, Answers answers, MasterCheck.Result result) {
    if (schedule.isOver(refresh)) {
      return;
    }
    result.rejected().forEach(log::rejected);
    End end = End.FAILED;
    try {
      Claim claim = result.claim();
      if (claim == null) {
        throw NoMasterException.of(answers.round, answers.choice, result.rejected());
      }
      int voters = answers.choice.voters(claim);
      believe(claim);
      TopologyStatus.Sentinels sentinels = sentinels(answers);
      log.succeeded(refresh.trigger(), claim, voters, current.shards().getFirst());
      log.sentinels(sentinels);
      reports.sentinels(sentinels);
      reports.succeeded(refresh, claim.views().getFirst().source(), members(claim), current);
      boolean complete = claim.ofMajority() && result.rejected().isEmpty() && staleRefreshes == 0;
      end = complete ? End.COMPLETE : End.INCOMPLETE;
    } catch (Throwable e) {
      log.failed(e);
      reports.sentinels(sentinels(answers));
      reports.failed(refresh, e, current);
    } finally {
      schedule.ended(end); // whatever was thrown: the next refresh depends on it
    }
  }

  private void believe(Claim claim) {
    KnownMaster before = known;
    boolean sameMaster = before != null && before.master().equals(claim.master());
    boolean older = before != null && claim.epoch() < before.epoch();
    long epoch = claim.epoch();
    if (before != null && older && staleRefreshes >= STALE_REFRESHES_TO_ACCEPT) {
      if (!sameMaster) {
        log.staleAccepted(claim, before.epoch(), staleRefreshes);
      }
      staleRefreshes = 0;
    } else if (before != null && sameMaster && (older || !claim.ofMajority())) {
      epoch = before.epoch(); // a minority cannot change it
    }
    Set<Endpoint> members = new HashSet<>();
    claim.views().forEach(view -> view.members().forEach(member -> members.add(member.node())));
    if (before != null && !claim.ofMajority()) {
      members.addAll(before.members());
    }
    known = new KnownMaster(claim.master(), epoch, Set.copyOf(members));
    directory.learn(claim);
    subscriptions.update(directory.addresses());
    publish(new SinglePlacement(new Shard(claim.master(), claim.replicas(), epoch)));
  }

  private void publish(Placement placement) {
    if (!placement.equals(current)) {
      current = placement;
      reports.changed(placement);
    }
  }

  /** Returns the nodes as the first of the agreeing sentinels describes them. */
  private static List<TopologyStatus.Member> members(Claim claim) {
    List<SentinelView.Member> members = claim.views().getFirst().members();
    String masterId = members.getFirst().runId();
    return members.stream()
        .map(member -> {
          boolean master = member.node().equals(claim.master());
          return new TopologyStatus.Member(
              member.runId(),
              member.node(),
              member.flags(),
              master ? null : masterId,
              !member.flags().contains("disconnected"),
              claim.epoch(),
              master ? SlotMap.SLOTS : 0);
        })
        .toList();
  }
}
