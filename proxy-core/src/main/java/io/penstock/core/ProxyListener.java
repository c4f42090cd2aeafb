package io.penstock.core;

import io.netty.channel.EventLoop;
import io.penstock.core.answer.ClientDirectory;
import io.penstock.core.client.Nodes;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.Listener;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.session.SessionSettings;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A listener of a proxy: its sockets, and its clients on each event loop. They use the connections
 * of its {@link ProxyUpstream} to nodes. All methods are safe from any thread.
 */
public final class ProxyListener {

  private final ProxySettings.Listener settings;
  private final int eventLoops;
  private final ProxyUpstream upstream;
  private final LoopGroup group;
  private final Admission admission;
  private final Listener socket;
  private final ClientDirectory directory;
  private final LoopParts<SessionLoop> loops;
  private final ListenerView view;
  private volatile List<InetSocketAddress> addresses = List.of();

  /**
   * @param clients all clients of the process
   */
  ProxyListener(
      ProxySettings.Listener settings,
      ProxyUpstream upstream,
      LoopGroup group,
      ClientDirectory.AllClients clients,
      Admission admission) {
    this.settings = settings;
    this.eventLoops = group.loops().size();
    this.upstream = upstream;
    this.group = group;
    this.admission = admission;
    this.directory = new ClientDirectory(clients, upstream.scripts(), admission.label());
    this.view = new ListenerView(this, facts(), settings);
    this.loops = new LoopParts<>(group, upstream.lanes(), this::makeLoop);
    this.socket = new Listener(group, this::clientsOn, admission, settings.listen().arrivals());
  }

  /** Returns the limit on clients, with its log lines and events. */
  static Admission admission(
      ProxySettings.Listener settings, ProxySettings all, ProxyEvents events) {
    var label = Label.ofListener(settings.name(), all.listeners().size() == 1);
    return new Admission(settings.listen().maxClients(), label, events.ofListener(label));
  }

  private ProxyFacts facts() {
    return new ProxyFacts(
        ProxyVersion.read(),
        ProxyFacts.newId(),
        ProxyFacts.newId(),
        Instant.now(),
        ProcessHandle.current().info().command().orElse(""),
        group.transport().configName(),
        eventLoops,
        settings.listen().maxClients(),
        settings.facade() != null);
  }

  private SessionLoop makeLoop(Loop loop, int lane) {
    UpstreamLoop nodes = upstream.on(loop, lane);
    var made =
        new SessionLoop(loop, sessionSettings(), upstream.servers(), nodes.routing(), directory);
    nodes.add(made);
    return made;
  }

  private SessionSettings sessionSettings() {
    ProxySettings.Backend backend = upstream.settings().backend();
    ListenerTls tls = settings.listen().arrivals().tls();
    long timeout = backend.commandTimeout().toNanos();
    return new SessionSettings(
        settings.listen().password(),
        tls == null ? Set.of() : tls.settings().certificateUsers(),
        RespLimits.ofMaxBulkLength(settings.listen().maxBulkLength()),
        new Nodes.Timeouts(timeout, Math.max(timeout, backend.hold().maxDuration().toNanos())),
        upstream.settings().kind().access().database(),
        clientLimits(),
        view);
  }

  /**
   * Returns the limits for one loop and lane: the total in flight is divided between the loops, and
   * between the lanes.
   */
  private ClientLimits clientLimits() {
    ClientLimits all = settings.listen().clients();
    int share = Math.max(1, all.totalInFlight() / (eventLoops * upstream.lanes()));
    return new ClientLimits(
        all.normal(), all.subscribers(), all.memory(), all.timeouts(), all.inFlight(), share);
  }

  /** Returns the clients of a loop, for a client that arrives there. On that loop. */
  private SessionLoop clientsOn(EventLoop executor) {
    for (Loop loop : group.loops()) {
      if (loop.executor().equals(executor)) {
        return loops.of(loop, upstream.nextLane());
      }
    }
    throw new IllegalArgumentException("not a loop of this proxy");
  }

  /**
   * Binds all addresses, or none; fails with {@link io.penstock.core.listener.CannotBindException}.
   */
  CompletableFuture<Void> bind() {
    return socket
        .bind(settings.listen().address())
        .thenAccept(bound -> addresses = bound)
        .toCompletableFuture();
  }

  /** Returns the configured name. */
  public String name() {
    return settings.name();
  }

  /** Returns the upstream that it serves. */
  public ProxyUpstream upstream() {
    return upstream;
  }

  /**
   * Returns the TCP addresses that clients connect to; empty before they are bound, and if it is a
   * Unix socket.
   */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** Returns the first of the {@link #addresses}, or null if there is none. */
  public @Nullable InetSocketAddress address() {
    return addresses.isEmpty() ? null : addresses.getFirst();
  }

  /** Returns where clients connect, with the port that was bound in place of 0. */
  public ListenAddress listenAddress() {
    InetSocketAddress bound = address();
    ListenAddress wanted = settings.listen().address();
    return bound != null && wanted instanceof ListenAddress.Tcp tcp
        ? tcp.withPort(bound.getPort())
        : wanted;
  }

  /** Returns whether clients can connect. Not to be called on event loops. */
  public boolean isListening() {
    return socket.isOpen();
  }

  /** Returns whether clients can connect and the master of at least one slot answers. */
  public boolean isReady() {
    return isListening() && upstream.isReady();
  }

  /** Returns the statistics of its clients. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return figures();
  }

  CompletableFuture<ProxyStats> figures() {
    return loops
        .collect(StatsCollector::read)
        .thenApply(figures -> StatsCollector.ofListener(figures, admission));
  }

  /** Stops accepting clients. Completes when the last accepted client is on its loop. */
  CompletableFuture<Void> stopAccepting() {
    return socket.close();
  }

  /**
   * Stops accepting clients and answers the requests in flight. Completes when all clients are
   * closed.
   */
  CompletableFuture<Void> drain() {
    return stopAccepting()
        .thenCompose(_ -> loops.run(SessionLoop::drain))
        .thenCompose(_ -> admission.whenEmpty());
  }

  /** Closes the socket and all clients at once. Completes when each loop has closed its own. */
  CompletableFuture<Void> close() {
    return stopAccepting().thenCompose(_ -> loops.run(ProxyListener::closeClients));
  }

  private static void closeClients(SessionLoop clients) {
    for (Session session : List.copyOf(clients.sessions())) {
      session.closeNow("the proxy ends");
    }
  }
}
