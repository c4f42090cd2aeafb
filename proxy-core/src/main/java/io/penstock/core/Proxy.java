package io.penstock.core;

import io.netty.channel.EventLoop;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.Listener;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.pubsub.Audience;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.Router;
import io.penstock.core.session.ClientDirectory;
import io.penstock.core.session.ClientLimits;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.session.SessionSettings;
import io.penstock.core.topology.ClusterTopology;
import io.penstock.core.topology.ControlPlane;
import io.penstock.core.topology.HealthCheck;
import io.penstock.core.topology.ServerSurvey;
import io.penstock.core.topology.StaticTopology;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.UnavailableTransportException;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Reach;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A proxy: assembled from its settings, started once, drained and closed once. Methods are safe
 * from any thread.
 */
public final class Proxy implements AutoCloseable {

  private final ProxySettings settings;
  private final LoopGroup group;
  private final ControlPlane control;
  private final Upstream upstream;
  private final ServerSurvey survey;
  private final HealthCheck health;
  private final Admission admission;
  private final Listener listener;
  private final StatsCollector collector;
  private final List<ProxyLoop> loops = new ArrayList<>();
  private final ClientDirectory directory = new ClientDirectory();
  private final Audience audience = new Audience();
  private final ProxyFace face;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private Proxy(ProxySettings settings, ProxyEvents events) {
    this.settings = settings;
    this.group = new LoopGroup(settings.transport(), settings.eventLoops(), settings.timeSlice());
    this.admission = new Admission(settings.listen().maxClients(), events);
    this.collector = new StatsCollector(admission, audience);
    BackendSettings backend = settings.backendSettings();
    this.control =
        ControlPlane.create(backend.credentials(), backend.database(), backend.connectTimeout());
    this.upstream =
        switch (settings.upstream()) {
          case ProxySettings.Upstream.Cluster cluster ->
              ClusterTopology.create(settings.topologySettings(cluster), control, events);
          case ProxySettings.Upstream.Single single -> new StaticTopology(single.node());
        };
    ServerFacts servers = ServerFacts.assumed(CommandTable.load(settings.commands()));
    this.survey =
        ServerSurvey.create(
            control, upstream, new ServerSurvey.Scope(settings.refresh().period(), servers));
    this.health = HealthCheck.create(control, upstream, events);
    this.face = new ProxyFace(this, facts(), settings);
    for (Loop loop : group.loops()) {
      loops.add(assemble(loop, servers, events));
    }
    this.listener = new Listener(group, this::sessionLoop, admission, settings.listen().arrivals());
  }

  /**
   * Builds a proxy; nothing is opened before {@link #start}.
   *
   * @throws UnavailableTransportException when the transport does not work on this machine
   */
  public static Proxy create(ProxySettings settings, ProxyEvents events) {
    return new Proxy(settings, events);
  }

  private ProxyFacts facts() {
    return new ProxyFacts(
        ProxyVersion.read(),
        ProxyFacts.newId(),
        ProxyFacts.newId(),
        Instant.now(),
        ProcessHandle.current().info().command().orElse(""),
        transportName(),
        settings.eventLoops(),
        settings.listen().maxClients(),
        settings.facade() != null);
  }

  private ProxyLoop assemble(Loop loop, ServerFacts servers, ProxyEvents events) {
    long timeout = settings.backend().commandTimeout().toNanos();
    BackendSettings backend = settings.backendSettings();
    Dispatcher dispatcher =
        switch (settings.dispatch()) {
          case ProxySettings.Dispatch.Async _ ->
              new AsyncDispatcher(group, loop, backend, upstream, events);
          case ProxySettings.Dispatch.Sync _ ->
              new SyncDispatcher(group, loop, backend, upstream, events);
        };
    var router = new Router(upstream.partitioner());
    var sessionSettings =
        new SessionSettings(
            settings.listen().password(),
            RespLimits.ofMaxBulkLength(settings.listen().maxBulkLength()),
            timeout,
            Math.max(timeout, settings.backend().hold().longest().toNanos()),
            upstream.partitioner().partitions() > 1,
            backend.database(),
            clientLimits(),
            face);
    var hub = new Hub(group, loop, backend, upstream, events, audience);
    var sessions =
        new SessionLoop(
            loop, sessionSettings, servers, router, dispatcher, hub, upstream, directory);
    return new ProxyLoop(loop, sessions, dispatcher, timeout);
  }

  /** What holds on each loop. */
  private ClientLimits clientLimits() {
    ClientLimits all = settings.listen().clients();
    int share = Math.max(1, all.totalInFlight() / settings.eventLoops());
    return new ClientLimits(
        all.normal(), all.subscribers(), all.memory(), all.timeouts(), all.inFlight(), share);
  }

  private SessionLoop sessionLoop(EventLoop executor) {
    for (ProxyLoop loop : loops) {
      if (loop.loop().executor().equals(executor)) {
        return loop.sessions();
      }
    }
    throw new IllegalArgumentException("not a loop of this proxy");
  }

  /**
   * Binds and begins to look for the topology. Fails with {@link
   * io.penstock.core.listener.CannotBindException} when the address cannot be bound; a cluster that
   * is down does not fail it.
   *
   * @return completes with the address that clients connect to
   */
  public CompletionStage<InetSocketAddress> start() {
    var address = new InetSocketAddress(settings.listen().bind(), settings.listen().port());
    return listener
        .bind(address)
        .thenApply(bound -> {
          upstream.onChange(_ -> topologyChanged());
          upstream.start();
          survey.start(facts -> loops.forEach(loop -> loop.adopt(facts)));
          health.start();
          loops.forEach(ProxyLoop::start);
          return bound;
        });
  }

  private void topologyChanged() {
    loops.forEach(ProxyLoop::topologyChanged);
    survey.topologyChanged();
    health.topologyChanged();
  }

  /** Listening, and the master of a slot at least answers. */
  public boolean isReady() {
    return listener.isOpen() && upstreamStatus().coveredSlots() > 0;
  }

  /** Which slots can be served right now, and which nodes answer. */
  public UpstreamStatus upstreamStatus() {
    return health.status();
  }

  /** The transport in use, after {@code auto} was decided, for example {@code epoll}. */
  public String transportName() {
    return group.transport().configName();
  }

  /** The newest topology snapshot. */
  public Placement topology() {
    return upstream.current();
  }

  /** The lowest of the nodes' versions, and all commands, as far as nodes have answered. */
  public ServerFacts servers() {
    return survey.current();
  }

  /** What is known about the cluster's members and the last refresh. */
  public TopologyStatus topologyStatus() {
    return upstream.status();
  }

  /** Whether nodes let Penstock in, and why not. */
  public Reach reach() {
    TopologyStatus status = upstream.status();
    return status.lastRefresh() == null ? survey.reach() : status.reach();
  }

  /** Sums the loops' figures; completes on one of the loops. */
  public CompletionStage<ProxyStats> stats() {
    return onEachLoop(collector::read).thenApply(collector::sum);
  }

  private CompletableFuture<?> tellEachLoop(Consumer<ProxyLoop> what) {
    return onEachLoop(loop -> {
      what.accept(loop);
      return loop;
    });
  }

  private <T> CompletableFuture<List<T>> onEachLoop(Function<ProxyLoop, T> question) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (ProxyLoop loop : loops) {
      answers.add(
          CompletableFuture.supplyAsync(() -> question.apply(loop), loop.loop().executor()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::resultNow).toList());
  }

  /**
   * Stops accepting, answers what is in flight and closes each client when it has its replies.
   *
   * @return completes when all clients are gone, or after {@code grace}
   */
  public CompletionStage<Void> drain(Duration grace) {
    return listener
        .close()
        .thenCompose(_ -> tellEachLoop(ProxyLoop::drainClients))
        .thenCompose(_ -> admission.whenEmpty())
        .completeOnTimeout(null, grace.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Closes everything at once. Further calls answer as the first does.
   *
   * @return completes when the event loops have ended
   */
  public CompletionStage<Void> shutdown() {
    if (ending.compareAndSet(false, true)) {
      end().whenComplete((_, _) -> ended.complete(null));
    }
    return ended;
  }

  private CompletionStage<Void> end() {
    CompletionStage<Void> deaf = listener.close();
    upstream.close();
    survey.close();
    health.close();
    CompletionStage<Void> controlClosed = control.close();
    return deaf.thenCompose(_ -> tellEachLoop(ProxyLoop::close))
        .thenCompose(_ -> controlClosed)
        .thenCompose(_ -> group.shutdown());
  }

  /** As {@link #shutdown}, without waiting for the end. */
  @Override
  public void close() {
    shutdown();
  }
}
