package io.penstock.core.assembly;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.StatsCollector.UpstreamFigures;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.TrialEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.replicas.MonitoredTopology;
import io.penstock.core.replicas.ReplicaMonitor;
import io.penstock.core.resync.CopyJobs;
import io.penstock.core.script.Scripts;
import io.penstock.core.session.ServedUpstream;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.shadow.ShadowLink;
import io.penstock.core.shadow.ShadowSettings;
import io.penstock.core.side.Side;
import io.penstock.core.survey.HealthCheck;
import io.penstock.core.survey.ServerSurvey;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ProxyChain;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.Topology;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An upstream whose servers speak RESP: what is known about its nodes, and the connections of each
 * event loop to them. The listeners that name it share them. The event loops and the control plane
 * belong to the {@link Proxy}. All methods are safe from any thread.
 */
public final class RespUpstream implements ProxyUpstream {

  /**
   * How long after an answer a node is known not to be busy with a script: less than any sensible
   * {@code busy-reply-threshold}.
   */
  private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ProxySettings.Upstream.Resp settings;
  private final ProxyChain chain;
  private final ControlPlane control;
  private final BackendSettings backend;
  private final ProxySettings.Dispatch dispatch;
  private final LoopGroup group;
  private final ProxyEvents events;
  private final @Nullable TrialEvents trial; // null if it was in use from the start
  private final LogPrefix logPrefix;
  private final Upstream upstream;
  private final ServerSurvey survey;
  private final HealthCheck health;
  private final @Nullable ReplicaMonitor replicas; // null if reads go to masters only
  private final ServedUpstream served;
  private final SharedSubscriptions subscriptions;
  private final LoopParts<UpstreamLoop> loops;
  private volatile List<UpstreamFigures> inherited = List.of(); // of earlier upstreams of its name
  private volatile @Nullable Shadow shadow;
  private final @Nullable UpstreamMirror mirror; // null without copies
  private final AtomicInteger holders = new AtomicInteger(); // as a copy
  private final AtomicInteger clients = new AtomicInteger(); // accepted so far; if there are lanes

  /**
   * @param all settings of the proxy
   * @param before the one that it replaces, or null
   */
  public RespUpstream(
      ProxySettings.Upstream.Resp settings,
      ProxySettings all,
      Common common,
      @Nullable RespUpstream before) {
    this.settings = settings;
    this.chain = before == null ? ProxyChain.create() : before.chain.successor();
    this.control = common.control().with(settings.backend().connectTimeout(), chain);
    this.backend = all.backendSettings(settings, chain);
    this.dispatch = all.dispatch();
    this.group = common.group();
    Label label = backend.upstream();
    ProxyEvents inUse = common.events().ofUpstream(label);
    this.trial = common.onTrial() ? new TrialEvents(inUse, control.thread()) : null;
    this.events = trial == null ? inUse : trial;
    this.logPrefix = trial == null ? LogPrefix.of(label) : LogPrefix.ofTrial(label);
    this.upstream = settings.kind().create(context(control));
    this.served = served(label, before == null ? new Scripts() : before.served.scripts());
    this.subscriptions =
        before != null && before.mayShareSubscriptions(this)
            ? before.subscriptions
            : new SharedSubscriptions(group, events, this, countsOfLanes());
    boolean sameServers = before != null && before.hasServersOf(settings);
    ServerFacts known = before == null ? common.initial() : before.servers();
    var surveys =
        new ServerSurvey.Settings(
            settings.refresh().period(), initial(settings, all, known, sameServers), logPrefix);
    this.survey = ServerSurvey.create(control, upstream, surveys);
    this.health = HealthCheck.create(control, upstream, events);
    this.replicas =
        settings.reads().usesReplicas()
            ? ReplicaMonitor.create(control, upstream, settings.reads(), logPrefix)
            : null;
    this.loops = new LoopParts<>(group, upstream.lanes());
    subscriptions.join(this);
    this.mirror = mirror(all, before, sameServers);
  }

  /** Returns the mirror of the upstream that it replaces, if writes to that are ones to this. */
  private @Nullable UpstreamMirror mirror(
      ProxySettings all, @Nullable RespUpstream before, boolean sameServers) {
    ProxySettings.Mirror own = all.mirrorOf(name());
    if (own == null) {
      return null;
    }
    UpstreamMirror earlier = before == null || !sameServers ? null : before.mirror;
    UpstreamMirror used = earlier == null ? new UpstreamMirror(group, own.settings()) : earlier;
    used.join(this);
    return used;
  }

  private ServedUpstream served(Label label, Scripts scripts) {
    int database = settings.kind().access().database();
    return new ServedUpstream(label, timeouts(settings.backend()), database, scripts, chain);
  }

  @Override
  public boolean hasServersOf(ProxyUpstream other) {
    return other instanceof RespUpstream resp
        && hasServersOf(resp.settings)
        && hasCopies() == resp.hasCopies();
  }

  /** Returns whether its clients' subscriptions are in the same hubs as those of another one. */
  private boolean sharesSubscriptionsWith(RespUpstream other) {
    return subscriptions.equals(other.subscriptions);
  }

  /** Subscriptions stay at servers that both have, and others are added for other servers. */
  private boolean mayShareSubscriptions(RespUpstream other) {
    return upstream.lanes() == other.upstream.lanes()
        && upstream.hasSeparateLanes() == other.upstream.hasSeparateLanes()
        && !Collections.disjoint(settings.kind().leaves(), other.settings.kind().leaves());
  }

  /** Returns what the subscribers of each lane are counted by. */
  private List<SubscriberCounts> countsOfLanes() {
    int lanes = upstream.lanes();
    return lanes == 1 || upstream.hasSeparateLanes()
        ? Stream.generate(SubscriberCounts::new).limit(lanes).toList()
        : Collections.nCopies(lanes, SubscriberCounts.ofEqualNodes());
  }

  private boolean hasServersOf(ProxySettings.Upstream.Resp other) {
    return settings.kind().servesAs(other.kind());
  }

  private static Nodes.Timeouts timeouts(ProxySettings.Backend backend) {
    long timeout = backend.commandTimeout().toNanos();
    return new Nodes.Timeouts(
        timeout, Math.max(timeout, backend.hold().maxDuration().toNanos()), ANSWER_NANOS);
  }

  /** Returns what is known before a node has answered, with the rules of this upstream. */
  private static ServerFacts initial(
      ProxySettings.Upstream.Resp settings,
      ProxySettings all,
      ServerFacts known,
      boolean sameServers) {
    CommandRules rules = rules(settings, all.commands());
    CommandTable commands = known.commands();
    if (sameServers && commands.rules().equals(rules)) {
      return known;
    }
    return known.with(sameServers ? commands.withRules(rules) : commands.forOtherNodes(rules));
  }

  /** An upstream that only serves reads rejects what may write. */
  private static CommandRules rules(ProxySettings.Upstream.Resp settings, CommandRules all) {
    return settings.reads().readOnly() ? all.forReadOnly() : all;
  }

  /**
   * What the upstreams of a proxy share.
   *
   * @param control without connections
   * @param initial the facts about servers until a node has answered
   * @param onTrial whether an upstream is on trial until {@link #endTrial}
   */
  public record Common(
      LoopGroup group,
      ControlPlane control,
      ServerFacts initial,
      ProxyEvents events,
      boolean onTrial) {

    /** Returns the same for an upstream that may be refused. */
    public Common forTrial() {
      return new Common(group, control, initial, events, true);
    }
  }

  private UpstreamSettings.Context context(ControlPlane control) {
    ProxySettings.Refresh refresh = settings.refresh();
    return new UpstreamSettings.Context(
        control,
        settings.backend().connectTimeout(),
        refresh.period(),
        refresh.minRefreshInterval(),
        new RefreshEvents(events, () -> upstream.current()),
        logPrefix);
  }

  private UpstreamLoop makeLoop(Loop loop, int lane) {
    Topology nodes = nodes(lane);
    Topology topology = replicas == null ? nodes : new MonitoredTopology(nodes, replicas);
    Dispatcher dispatcher =
        switch (dispatch) {
          case ProxySettings.Dispatch.Async _ ->
              new AsyncDispatcher(group, loop, backend, topology, events);
          case ProxySettings.Dispatch.Sync _ ->
              new SyncDispatcher(group, loop, backend, topology, events);
        };
    Hub hub = subscriptions.hub(loop, lane);
    var made = new UpstreamLoop(loop, nodes, dispatcher, hub, served);
    made.start(
        now -> subscriptions.tick(hub, lane, now), settings.backend().commandTimeout().toNanos());
    connectShadow(made, loop);
    if (mirror != null) {
      made.mirror(mirror.mirror(), settings.backend().commandTimeout().toNanos());
    }
    return made;
  }

  /**
   * Another upstream that reads go to, too.
   *
   * @param share in hundredths of a percent
   */
  public record Shadow(RespUpstream upstream, int share) {}

  /**
   * Has a share of the reads go to another upstream too from now on; null for none. Completes when
   * each loop does.
   */
  public CompletableFuture<Void> shadow(@Nullable Shadow next) {
    if (Objects.equals(shadow, next)) {
      return CompletableFuture.completedFuture(null);
    }
    shadow = next;
    return loops.visit((part, loop, _) -> connectShadow(part, loop));
  }

  /** On that loop. */
  private void connectShadow(UpstreamLoop part, Loop loop) {
    Shadow now = shadow;
    if (now == null) {
      part.shadow(null, null);
      return;
    }
    RespUpstream other = now.upstream();
    var ends =
        new ShadowLink.Ends(
            loop, part.side(settings.backend().commandTimeout().toNanos()), other.side(loop));
    String label = "Upstream %s and its shadow %s".formatted(name(), other.name());
    part.shadow(ends, ShadowSettings.of(now.share(), label));
  }

  /** Returns it as the side of Penstock's own requests. On that loop. */
  Side side(Loop loop) {
    return on(loop, 0).side(settings.backend().commandTimeout().toNanos());
  }

  /**
   * Returns how far its copies are; none if it has none, or another upstream of its name has them.
   */
  public MirrorStats mirrorStats() {
    return mirror == null ? MirrorStats.NONE : mirror.statsOf(this);
  }

  /** Returns whether what clients write goes to copies too. */
  public boolean hasCopies() {
    return mirror != null;
  }

  /** Returns the resyncs and comparisons of its copies, by the names of the copies. */
  public Map<String, CopyJobs> copyJobs() {
    return mirror == null ? Map.of() : mirror.jobsOf(this);
  }

  /** Returns the upstreams of its copies, in the order of the settings. */
  public List<RespUpstream> copies() {
    return mirror == null ? List.of() : mirror.upstreams();
  }

  /**
   * Has what clients write go to these copies from now on. Completes when that is so; on any
   * thread. Only for one that {@link #hasCopies}.
   */
  public CompletableFuture<Void> mirror(UpstreamMirror.Copies copies) {
    return Objects.requireNonNull(mirror, "no copies").adopt(this, copies);
  }

  /** Returns whether the writes of another one go to the same queues of the copies. */
  public boolean sharesCopiesWith(@Nullable RespUpstream other) {
    return mirror != null && other != null && mirror.equals(other.mirror);
  }

  /** Completes when no write waits for a copy, or after some time. */
  public CompletableFuture<Void> emptyCopies(Duration timeout) {
    return mirror == null ? CompletableFuture.completedFuture(null) : mirror.empty(timeout);
  }

  /** Sends nothing to copies any more. What waits is lost. */
  public void closeCopies() {
    if (mirror != null) {
      mirror.close(name());
    }
  }

  /** It is a copy: it is in use until {@link #release}. */
  void hold() {
    holders.incrementAndGet();
  }

  void release() {
    holders.decrementAndGet();
  }

  /** Returns what the clients of a lane see of the nodes, without replicas. */
  Topology nodes(int lane) {
    return upstream.lane(lane);
  }

  @Override
  public void endTrial() {
    logPrefix.endTrial();
    if (trial != null) {
      trial.endTrial();
    }
  }

  BackendSettings backend() {
    return backend;
  }

  @Override
  public void start() {
    upstream.onChange(_ -> topologyChanged());
    upstream.start();
    survey.start(facts -> loops.forEach(loop -> loop.serverFactsChanged(facts)));
    health.start();
    if (replicas != null) {
      replicas.start(() -> loops.forEach(UpstreamLoop::topologyChanged));
    }
  }

  private void topologyChanged() {
    loops.forEach(UpstreamLoop::topologyChanged);
    subscriptions.topologyChanged(this);
    survey.topologyChanged();
    health.topologyChanged();
    if (replicas != null) {
      replicas.topologyChanged();
    }
  }

  /** Returns the loop's connections to nodes; makes them if there are none. On that loop. */
  UpstreamLoop on(Loop loop, int lane) {
    return loops.of(loop, lane, this::makeLoop);
  }

  /** Forgets a listener's clients of a loop and lane, which have all left. On that loop. */
  void forget(SessionLoop clients, Loop loop, int lane) {
    loops.ifMade(loop, lane, each -> each.remove(clients));
  }

  /** Returns over how many lanes clients are spread. */
  int lanes() {
    return upstream.lanes();
  }

  /** Returns the lane of a client that has just connected. */
  int nextLane() {
    return upstream.lanes() == 1 ? 0 : upstream.laneOf(clients.getAndIncrement());
  }

  @Override
  public ProxySettings.Upstream.Resp settings() {
    return settings;
  }

  Set<SubscriberCounts> subscribers() {
    return subscriptions.counts();
  }

  /**
   * Leads the subscriptions of the upstream that it replaces, and shares its passwords with it, as
   * far as the servers are the same. Completes on any thread, when clients miss nothing that is
   * published at its servers, or after about a second.
   */
  public CompletableFuture<Void> takeOver(RespUpstream earlier) {
    if (!sharesSubscriptionsWith(earlier)) {
      return CompletableFuture.completedFuture(null);
    }
    boolean samePasswords = true;
    for (UpstreamSettings own : settings.kind().leaves()) {
      for (UpstreamSettings other : earlier.settings.kind().leaves()) {
        if (own.equals(other)) {
          samePasswords &= own.passwords().equals(other.passwords());
          share(own.allCredentials(), other.allCredentials());
        }
      }
    }
    CompletableFuture<Void> moved = subscriptions.lead(this);
    if (!samePasswords) {
      authenticateAgain();
    }
    return moved;
  }

  private static void share(List<Credentials> own, List<Credentials> others) {
    for (int i = 0; i < own.size(); i++) {
      own.get(i).shareWith(others.get(i));
    }
  }

  @Override
  public String name() {
    return settings.name();
  }

  @Override
  public String description() {
    return settings.kind().description();
  }

  /** Returns whether reads may go to replicas. */
  public boolean readsReplicas() {
    return settings.reads().usesReplicas();
  }

  /** Returns the latest topology snapshot. */
  public Placement topology() {
    return upstream.current();
  }

  /** Returns which slots can be served now, and which nodes answer. */
  public UpstreamStatus status() {
    UpstreamStatus status = health.status();
    return replicas == null ? status : status.with(replicas.status());
  }

  /** Returns the known members and the result of the last refresh. */
  public TopologyStatus topologyStatus() {
    return upstream.status();
  }

  /** Returns the lowest version of all nodes that have answered, and all commands known so far. */
  public ServerFacts servers() {
    return survey.current();
  }

  /**
   * Returns whether nodes accept Penstock's connections, and if not, why. An upstream that
   * discovers its nodes reports whether it reached one. Otherwise the survey does.
   */
  public Reachability reachability() {
    TopologyStatus status = upstream.status();
    return status.lastRefresh() == null ? survey.reachability() : status.reachability();
  }

  @Override
  public boolean isReady() {
    return status().coveredSlots() > 0;
  }

  /** Returns the statistics that are not of clients. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return figures();
  }

  public CompletableFuture<ProxyStats> figures() {
    Set<SubscriberCounts> counts = subscriptions.isLedBy(this) ? subscribers() : Set.of();
    return collect()
        .thenApply(
            figures -> StatsCollector.ofUpstream(withInherited(figures), counts, mirrorStats()));
  }

  /** Reads the figures of all loops; those of the subscriptions only if it leads them. */
  private CompletableFuture<List<UpstreamFigures>> collect() {
    CompletableFuture<List<UpstreamFigures>> own = loops.collect(UpstreamFigures::of);
    return subscriptions.isLedBy(this)
        ? own.thenCombine(subscriptions.collect(UpstreamFigures::of), RespUpstream::joined)
        : own;
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  /** Returns what it and its predecessors have counted. To be called when it is closed. */
  public CompletableFuture<UpstreamFigures> inheritance() {
    return collect()
        .thenApply(figures ->
            withInherited(figures).stream().reduce(UpstreamFigures.NONE, UpstreamFigures::plus));
  }

  private List<UpstreamFigures> withInherited(List<UpstreamFigures> figures) {
    return joined(figures, inherited);
  }

  /** Counts what a closed upstream of the same name has counted. */
  public void inherit(UpstreamFigures counts) {
    inherited = List.of(inherited.stream().reduce(counts, UpstreamFigures::plus));
  }

  /**
   * Replaces the passwords of its nodes, in the order of its settings. New connections use them.
   */
  public void changePasswords(List<Credentials> latest) {
    List<Credentials> own = settings.kind().allCredentials();
    for (int i = 0; i < own.size(); i++) {
      own.get(i).changePassword(latest.get(i).password());
    }
    authenticateAgain();
  }

  private void authenticateAgain() {
    subscriptions.sharers().forEach(each -> each.loops.forEach(UpstreamLoop::authenticateAgain));
    subscriptions.authenticateAgain();
  }

  /** Applies other rules about which commands are allowed. Completes when each loop has them. */
  public CompletableFuture<Void> adopt(CommandRules rules) {
    CommandRules own = rules(settings, rules);
    return survey.current().commands().rules().equals(own)
        ? CompletableFuture.completedFuture(null)
        : survey.adopt(own).thenCompose(_ -> loops.run(_ -> {}));
  }

  /** Returns whether every slot has a master that answers, and a node has told its commands. */
  public boolean isComplete() {
    return status().isComplete() && survey.reachability().reached();
  }

  @Override
  public CompletableFuture<Boolean> isUsed() {
    return loops
        .collect(UpstreamLoop::isUsed)
        .thenApply(used -> holders.get() > 0 || used.stream().anyMatch(Boolean::booleanValue));
  }

  @Override
  public void drainLaggards() {
    loops.forEach(UpstreamLoop::drainLaggards);
  }

  /**
   * Stops queries and closes all connections at once; those for subscriptions only if no other
   * upstream shares them. Completes when each loop has.
   */
  @Override
  public CompletableFuture<Void> close() {
    upstream.close();
    survey.close();
    health.close();
    if (replicas != null) {
      replicas.close();
    }
    if (mirror != null) {
      mirror.leave(this);
    }
    control.release();
    return loops.run(UpstreamLoop::close).thenCompose(_ -> subscriptions.leave(this));
  }
}
