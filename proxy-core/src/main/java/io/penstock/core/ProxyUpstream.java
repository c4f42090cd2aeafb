package io.penstock.core;

import io.penstock.core.StatsCollector.UpstreamFigures;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.replicas.MonitoredTopology;
import io.penstock.core.replicas.ReplicaMonitor;
import io.penstock.core.script.Scripts;
import io.penstock.core.survey.HealthCheck;
import io.penstock.core.survey.ServerSurvey;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.Topology;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An upstream of a proxy: what is known about its nodes, and the connections of each event loop to
 * them. The listeners that name it share them. The event loops and the control plane belong to the
 * {@link Proxy}. All methods are safe from any thread.
 */
public final class ProxyUpstream {

  private final ProxySettings.Upstream settings;
  private final BackendSettings backend;
  private final ProxySettings.Dispatch dispatch;
  private final LoopGroup group;
  private final ProxyEvents events;
  private final Upstream upstream;
  private final ServerSurvey survey;
  private final HealthCheck health;
  private final @Nullable ReplicaMonitor replicas; // null if reads go to masters only
  private final Scripts scripts = new Scripts();
  private final SubscriberCounts subscribers;
  private final LoopParts<UpstreamLoop> loops;
  private final AtomicInteger clients = new AtomicInteger(); // accepted so far; if there are lanes

  /**
   * @param all settings of the proxy
   * @param control with the upstream's timeout
   */
  ProxyUpstream(
      ProxySettings.Upstream settings,
      ProxySettings all,
      LoopGroup group,
      ControlPlane control,
      Common common) {
    this.settings = settings;
    this.backend = all.backendSettings(settings);
    this.dispatch = all.dispatch();
    this.group = group;
    Label label = backend.upstream();
    this.events = common.events().ofUpstream(label);
    this.upstream = settings.kind().create(context(control, label));
    this.subscribers =
        upstream.lanes() == 1 ? new SubscriberCounts() : SubscriberCounts.ofEqualNodes();
    this.survey =
        ServerSurvey.create(
            control,
            upstream,
            new ServerSurvey.Settings(
                settings.refresh().period(), initial(settings, all, common), label.prefix()));
    this.health = HealthCheck.create(control, upstream, events);
    this.replicas =
        settings.reads().usesReplicas()
            ? ReplicaMonitor.create(control, upstream, settings.reads(), label)
            : null;
    this.loops = new LoopParts<>(group, upstream.lanes(), this::makeLoop);
  }

  /** An upstream that only serves reads has a command table of its own. */
  private static ServerFacts initial(
      ProxySettings.Upstream settings, ProxySettings all, Common common) {
    return settings.reads().readOnly()
        ? ServerFacts.initial(CommandTable.load(all.commands().forReadOnly()))
        : common.initial();
  }

  /**
   * What the upstreams of a proxy share.
   *
   * @param initial the facts about servers until a node has answered
   */
  record Common(ServerFacts initial, ProxyEvents events) {}

  private UpstreamSettings.Context context(ControlPlane control, Label label) {
    ProxySettings.Refresh refresh = settings.refresh();
    return new UpstreamSettings.Context(
        control,
        settings.backend().connectTimeout(),
        refresh.period(),
        refresh.adaptiveTimeout(),
        events,
        label);
  }

  private UpstreamLoop makeLoop(Loop loop, int lane) {
    Topology nodes = upstream.lane(lane);
    Topology topology = replicas == null ? nodes : new MonitoredTopology(nodes, replicas);
    Dispatcher dispatcher =
        switch (dispatch) {
          case ProxySettings.Dispatch.Async _ ->
              new AsyncDispatcher(group, loop, backend, topology, events);
          case ProxySettings.Dispatch.Sync _ ->
              new SyncDispatcher(group, loop, backend, topology, events);
        };
    var hub = new Hub(group, loop, backend, nodes, events, subscribers);
    var made = new UpstreamLoop(loop, nodes, dispatcher, hub, backend.upstream());
    made.start(settings.backend().commandTimeout().toNanos());
    return made;
  }

  /** Starts to discover the nodes and to check their health. */
  void start() {
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
    survey.topologyChanged();
    health.topologyChanged();
    if (replicas != null) {
      replicas.topologyChanged();
    }
  }

  /** Returns the loop's connections to nodes; makes them if there are none. On that loop. */
  UpstreamLoop on(Loop loop, int lane) {
    return loops.of(loop, lane);
  }

  /** Returns over how many lanes clients are spread. */
  int lanes() {
    return upstream.lanes();
  }

  /** Returns the lane of a client that has just connected: the lanes take turns. */
  int nextLane() {
    int lanes = upstream.lanes();
    return lanes == 1 ? 0 : Math.floorMod(clients.getAndIncrement(), lanes);
  }

  ProxySettings.Upstream settings() {
    return settings;
  }

  /** Scripts that clients sent. */
  Scripts scripts() {
    return scripts;
  }

  SubscriberCounts subscribers() {
    return subscribers;
  }

  /** Returns the configured name. */
  public String name() {
    return settings.name();
  }

  /** Returns the kind and the configured addresses, for logs: without passwords. */
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

  /** Returns whether the master of at least one slot answers. */
  public boolean isReady() {
    return status().coveredSlots() > 0;
  }

  /** Returns the statistics that are not of clients. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return figures();
  }

  CompletableFuture<ProxyStats> figures() {
    return loops
        .collect(UpstreamFigures::of)
        .thenApply(figures -> StatsCollector.ofUpstream(figures, subscribers));
  }

  /** Stops queries and closes all connections at once. Completes when each loop has. */
  CompletableFuture<Void> close() {
    upstream.close();
    survey.close();
    health.close();
    if (replicas != null) {
      replicas.close();
    }
    return loops.run(UpstreamLoop::close);
  }
}
