package io.penstock.core;

import io.netty.channel.EventLoop;
import io.penstock.core.StatsCollector.LoopFigures;
import io.penstock.core.answer.ClientDirectory;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.dispatch.AsyncDispatcher;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.dispatch.SyncDispatcher;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.Listener;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.Router;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.session.SessionSettings;
import io.penstock.core.survey.HealthCheck;
import io.penstock.core.survey.ServerSurvey;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Reachability;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.core.upstream.Upstream;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One listener and the upstream that it serves, with the sessions and the connections to nodes of
 * each event loop. The event loops and the control plane belong to the {@link Proxy}. All methods
 * are safe from any thread.
 */
final class Service {

  private final ProxySettings settings;
  private final LoopGroup group;
  private final Upstream upstream;
  private final ServerSurvey survey;
  private final HealthCheck health;
  private final Admission admission;
  private final Listener listener;
  private final StatsCollector collector;
  private final List<ServiceLoop> loops = new ArrayList<>();
  private final ClientDirectory directory = new ClientDirectory();
  private final SubscriberCounts audience = new SubscriberCounts();
  private final ServiceProxyView face;

  Service(ProxySettings settings, LoopGroup group, ControlPlane control, ProxyEvents events) {
    this.settings = settings;
    this.group = group;
    this.admission = new Admission(settings.listen().maxClients(), events);
    this.collector = new StatsCollector(List.of(admission), List.of(audience));
    this.upstream = settings.upstream().create(settings.upstreamContext(control, events));
    ServerFacts servers = ServerFacts.initial(CommandTable.load(settings.commands()));
    this.survey =
        ServerSurvey.create(
            control, upstream, new ServerSurvey.Settings(settings.refresh().period(), servers));
    this.health = HealthCheck.create(control, upstream, events);
    this.face = new ServiceProxyView(this, facts(), settings);
    for (Loop loop : group.loops()) {
      loops.add(assemble(loop, servers, events));
    }
    this.listener = new Listener(group, this::sessionLoop, admission, settings.listen().arrivals());
  }

  private ProxyFacts facts() {
    return new ProxyFacts(
        ProxyVersion.read(),
        ProxyFacts.newId(),
        ProxyFacts.newId(),
        Instant.now(),
        ProcessHandle.current().info().command().orElse(""),
        group.transport().configName(),
        settings.eventLoops(),
        settings.listen().maxClients(),
        settings.facade() != null);
  }

  private ServiceLoop assemble(Loop loop, ServerFacts servers, ProxyEvents events) {
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
            new Nodes.Timeouts(
                timeout, Math.max(timeout, settings.backend().hold().maxDuration().toNanos())),
            settings.upstream().access().database(),
            clientLimits(),
            face);
    var hub = new Hub(group, loop, backend, upstream, events, audience);
    var sessions =
        new SessionLoop(
            loop,
            sessionSettings,
            servers,
            new SessionLoop.Routing(router, dispatcher, hub, upstream),
            directory);
    return new ServiceLoop(loop, sessions, dispatcher, timeout);
  }

  /** Returns the limits for one loop: the total in flight is divided between the loops. */
  private ClientLimits clientLimits() {
    ClientLimits all = settings.listen().clients();
    int share = Math.max(1, all.totalInFlight() / settings.eventLoops());
    return new ClientLimits(
        all.normal(), all.subscribers(), all.memory(), all.timeouts(), all.inFlight(), share);
  }

  private SessionLoop sessionLoop(EventLoop executor) {
    for (ServiceLoop loop : loops) {
      if (loop.loop().executor().equals(executor)) {
        return loop.sessions();
      }
    }
    throw new IllegalArgumentException("not a loop of this service");
  }

  /** Binds the listener and starts to discover the upstream's nodes; see {@link Proxy#start}. */
  CompletionStage<InetSocketAddress> start() {
    var address = new InetSocketAddress(settings.listen().bind(), settings.listen().port());
    return listener
        .bind(address)
        .thenApply(bound -> {
          upstream.onChange(_ -> topologyChanged());
          upstream.start();
          survey.start(facts -> loops.forEach(loop -> loop.serverFactsChanged(facts)));
          health.start();
          loops.forEach(ServiceLoop::start);
          return bound;
        });
  }

  private void topologyChanged() {
    loops.forEach(ServiceLoop::topologyChanged);
    survey.topologyChanged();
    health.topologyChanged();
  }

  boolean isListening() {
    return listener.isOpen();
  }

  Upstream upstream() {
    return upstream;
  }

  UpstreamStatus upstreamStatus() {
    return health.status();
  }

  ServerFacts servers() {
    return survey.current();
  }

  /**
   * An upstream that discovers its nodes reports whether it reached one. Otherwise the survey does.
   */
  Reachability reachability() {
    TopologyStatus status = upstream.status();
    return status.lastRefresh() == null ? survey.reachability() : status.reachability();
  }

  Admission admission() {
    return admission;
  }

  SubscriberCounts audience() {
    return audience;
  }

  /** Returns the summed statistics of all loops. Completes on one of the loops. */
  CompletionStage<ProxyStats> stats() {
    return figures().thenApply(collector::sum);
  }

  /** Returns the figures of each loop, read on that loop. */
  CompletableFuture<List<LoopFigures>> figures() {
    return onEachLoop(StatsCollector::read);
  }

  private CompletableFuture<?> runOnEachLoop(Consumer<ServiceLoop> action) {
    return onEachLoop(loop -> {
      action.accept(loop);
      return loop;
    });
  }

  private <T> CompletableFuture<List<T>> onEachLoop(Function<ServiceLoop, T> action) {
    List<CompletableFuture<T>> results = new ArrayList<>();
    for (ServiceLoop loop : loops) {
      results.add(CompletableFuture.supplyAsync(() -> action.apply(loop), loop.loop().executor()));
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(_ -> results.stream().map(CompletableFuture::resultNow).toList());
  }

  /**
   * Stops accepting clients and answers the requests in flight. Completes when all clients are
   * closed.
   */
  CompletionStage<Void> drain() {
    return listener
        .close()
        .thenCompose(_ -> runOnEachLoop(ServiceLoop::drainClients))
        .thenCompose(_ -> admission.whenEmpty());
  }

  /**
   * Closes the listener, the upstream, and all clients and connections at once. Completes when each
   * loop has closed its own.
   */
  CompletionStage<Void> close() {
    CompletionStage<Void> listenerClosed = listener.close();
    upstream.close();
    survey.close();
    health.close();
    return listenerClosed.thenCompose(_ -> runOnEachLoop(ServiceLoop::close)).thenApply(_ -> null);
  }
}
