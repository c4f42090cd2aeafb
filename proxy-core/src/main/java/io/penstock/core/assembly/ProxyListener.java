package io.penstock.core.assembly;

import io.netty.channel.EventLoop;
import io.penstock.core.answer.Passwords;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.Listener;
import io.penstock.core.listener.Listener.BoundSockets;
import io.penstock.core.listener.ListeningSocket;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A listener of a proxy: its sockets, and its clients on each event loop. They use the connections
 * of its {@link ProxyUpstream} to nodes. All methods are safe from any thread.
 */
public final class ProxyListener {

  private final int eventLoops;
  private final LoopGroup group;
  private final Admission admission;
  private final ClientDirectory directory;
  private final ListenerView view;
  private volatile Serving serving;
  private final Listener socket;
  private volatile List<InetSocketAddress> addresses = List.of();

  /**
   * The settings in force, and the clients that have them. Replaced as a whole.
   *
   * @param passwords of clients, which a change of the settings may leave valid for some time
   * @param loops its clients, for each loop and lane of the upstream
   * @param past its clients that new ones do not join
   */
  private record Serving(
      ProxySettings.Listener settings,
      ProxyUpstream upstream,
      Passwords passwords,
      LoopParts<SessionLoop> loops,
      Past past) {

    Serving with(Past other) {
      return new Serving(settings, upstream, passwords, loops, other);
    }
  }

  /**
   * Clients that new ones do not join: of an upstream with another number of lanes, or from before
   * a {@link #suspend}.
   *
   * @param draining those that are being closed
   * @param stats of those that are closed
   */
  private record Past(List<Serving> draining, ProxyStats stats) {

    static final Past NONE = new Past(List.of(), ProxyStats.NONE);

    Past and(Serving leaving) {
      return new Past(joined(draining, List.of(leaving.with(NONE))), stats);
    }
  }

  /**
   * @param clients all clients of the process
   */
  public ProxyListener(
      ProxySettings.Listener settings,
      ProxyUpstream upstream,
      LoopGroup group,
      ClientDirectory.AllClients clients,
      Admission admission) {
    this.eventLoops = group.loops().size();
    this.group = group;
    this.admission = admission;
    this.serving =
        new Serving(
            settings,
            upstream,
            Passwords.of(settings.listen().password()),
            newLoops(upstream),
            Past.NONE);
    this.directory = new ClientDirectory(clients, admission.label());
    this.view = new ListenerView(this, facts(settings), settings);
    this.socket = new Listener(group, this::clientsOn, admission, settings.listen().arrivals());
  }

  private LoopParts<SessionLoop> newLoops(ProxyUpstream upstream) {
    return new LoopParts<>(group, upstream.lanes());
  }

  /** Returns the limit on clients, with its log lines and events. */
  public static Admission admission(
      ProxySettings.Listener settings, ProxySettings all, ProxyEvents events) {
    var label = Label.ofListener(settings.name(), all.listeners().size() == 1);
    return new Admission(settings.listen().maxClients(), label, events.ofListener(label));
  }

  private ProxyFacts facts(ProxySettings.Listener settings) {
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

  private SessionLoop makeLoop(Serving now, Loop loop, int lane) {
    UpstreamLoop nodes = now.upstream().on(loop, lane);
    var made =
        new SessionLoop(
            loop, sessionSettings(now), now.upstream().servers(), nodes.routing(), directory);
    nodes.add(made);
    return made;
  }

  private SessionSettings sessionSettings(Serving now) {
    ProxySettings.Listen listen = now.settings().listen();
    ListenerTls tls = listen.arrivals().tls();
    return new SessionSettings(
        now.passwords(),
        tls == null ? Set.of() : tls.settings().certificateUsers(),
        RespLimits.ofMaxBulkLength(listen.maxBulkLength()),
        clientLimits(now),
        listen.crossSlot(),
        view);
  }

  /**
   * Returns the limits for one loop and lane: the total in flight is divided between the loops, and
   * between the lanes.
   */
  private ClientLimits clientLimits(Serving now) {
    ClientLimits all = now.settings().listen().clients();
    int share = Math.max(1, all.totalInFlight() / (eventLoops * now.upstream().lanes()));
    return new ClientLimits(
        all.normal(),
        all.subscribers(),
        all.memory(),
        all.timeouts(),
        all.inFlight(),
        share,
        all.patterns());
  }

  /** Returns the clients of a loop, for a client that arrives there. On that loop. */
  private SessionLoop clientsOn(EventLoop executor) {
    Serving now = serving;
    for (Loop loop : group.loops()) {
      if (loop.executor().equals(executor)) {
        int lane = now.upstream().nextLane();
        return now.loops().of(loop, lane, (_, _) -> makeLoop(now, loop, lane));
      }
    }
    throw new IllegalArgumentException("not a loop of this proxy");
  }

  /**
   * Binds all addresses, or none; fails with {@link io.penstock.core.listener.CannotBindException}.
   */
  public CompletableFuture<Void> bind() {
    return open(settings().listen().address(), BoundSockets.NONE).thenAccept(this::take);
  }

  /**
   * Opens the sockets of other addresses, or none; those that it has stay. Clients are accepted
   * after {@link #take}. Fails like {@link #bind}.
   *
   * @param bound by this or another listener
   */
  public CompletableFuture<List<ListeningSocket>> open(ListenAddress address, BoundSockets bound) {
    return socket.open(address, bound);
  }

  /** Returns its socket for an address, or null. */
  public @Nullable ListeningSocket find(ListenAddress address) {
    return socket.sockets().stream()
        .filter(each -> each.isBound() && each.address().equals(address))
        .findFirst()
        .orElse(null);
  }

  /** Has these sockets from now on. Clients that came to others stay connected. */
  public void take(List<ListeningSocket> opened) {
    addresses = socket.take(opened);
  }

  /** Closes the sockets from before {@link #take} that no listener has taken. */
  public CompletableFuture<Void> closeOthers() {
    return socket.closeOthers();
  }

  /** Closes sockets that were opened and not taken. */
  public CompletableFuture<Void> discard(List<ListeningSocket> opened) {
    return socket.discard(opened);
  }

  /** Returns the configured name. */
  public String name() {
    return serving.settings().name();
  }

  /** Returns the upstream that it serves. */
  public ProxyUpstream upstream() {
    return serving.upstream();
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
    List<InetSocketAddress> bound = addresses();
    return bound.isEmpty() ? null : bound.getFirst();
  }

  /** Returns where clients connect, with the port that was bound in place of 0. */
  public ListenAddress listenAddress() {
    InetSocketAddress bound = address();
    ListenAddress wanted = settings().listen().address();
    return bound != null && wanted instanceof ListenAddress.Tcp tcp
        ? tcp.withPort(bound.getPort())
        : wanted;
  }

  /** Returns whether it accepts clients: it is bound, and was not taken out of service. */
  public boolean isInService() {
    return socket.sockets().stream().allMatch(ListeningSocket::isBound);
  }

  /** Returns whether clients can connect. Not to be called on event loops. */
  public boolean isListening() {
    return socket.isOpen();
  }

  /** Returns whether clients can connect and the master of at least one slot answers. */
  public boolean isReady() {
    return isListening() && upstream().isReady();
  }

  /** Returns whether clients must use TLS. */
  public boolean isEncrypted() {
    return settings().listen().arrivals().tls() != null;
  }

  /** Returns the number of connected clients. */
  public int clients() {
    return admission.now();
  }

  /** Returns the statistics of its clients. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return figures();
  }

  public CompletableFuture<ProxyStats> figures() {
    Serving now = serving;
    CompletableFuture<List<ProxyStats>> all = now.loops().collect(StatsCollector::read);
    for (Serving each : now.past().draining()) {
      all = all.thenCombine(each.loops().collect(StatsCollector::read), ProxyListener::joined);
    }
    return all.thenApply(
        figures -> StatsCollector.ofListener(figures, admission).plus(now.past().stats()));
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  /** Returns the settings in force. */
  public ProxySettings.Listener settings() {
    return serving.settings();
  }

  /**
   * Applies other settings, which have the same addresses, and serves another upstream. Clients
   * stay connected, unless the upstreams have different numbers of lanes: then they are closed once
   * they are answered. One change at a time.
   *
   * @return completes when each loop applies them to new clients and new requests
   */
  public CompletableFuture<Void> adopt(ProxySettings.Listener next, ProxyUpstream upstream) {
    Serving before = serving;
    ProxySettings.Listen listen = next.listen();
    Passwords passwords =
        before
            .passwords()
            .changedTo(listen.password(), listen.passwordOverlap(), System.nanoTime());
    boolean sameLanes = upstream.lanes() == before.upstream().lanes();
    LoopParts<SessionLoop> loops = sameLanes ? before.loops() : newLoops(upstream);
    Past past = sameLanes ? before.past() : before.past().and(before);
    var now = new Serving(next, upstream, passwords, loops, past);
    serving = now;
    view.adopt(next);
    admission.limit(listen.maxClients());
    socket.adopt(listen.arrivals());
    return sameLanes ? adopt(now, before.upstream()) : leave(before);
  }

  private CompletableFuture<Void> adopt(Serving now, ProxyUpstream before) {
    ProxyUpstream upstream = now.upstream();
    return now.loops()
        .visit((clients, loop, lane) -> {
          UpstreamLoop nodes = upstream.on(loop, lane);
          if (!before.equals(upstream)) {
            before.on(loop, lane).leave(clients);
          }
          nodes.add(clients);
          clients.adopt(sessionSettings(now), nodes.routing(), upstream.servers());
        });
  }

  /** Closes clients that new ones do not join once they are answered. */
  private CompletableFuture<Void> leave(Serving leaving) {
    return leaving.loops().run(SessionLoop::drain).thenCompose(_ -> tidy());
  }

  /**
   * Stops accepting clients until {@link #resume}, and closes those that it has once they are
   * answered. Not at the same time as {@link #adopt}.
   *
   * @param drainTimeout after which clients that are still there are closed
   * @return completes when the last accepted client has been told to leave
   */
  public CompletableFuture<Void> suspend(Duration drainTimeout) {
    return stopAccepting()
        .thenCompose(_ -> arrivals())
        .thenCompose(_ -> {
          Serving before = serving;
          ProxyUpstream upstream = before.upstream();
          serving =
              new Serving(
                  before.settings(),
                  upstream,
                  before.passwords(),
                  newLoops(upstream),
                  before.past().and(before));
          closeLater(before, drainTimeout);
          return leave(before);
        });
  }

  /** Completes when clients that are on their way to the loops are there. */
  private CompletableFuture<Void> arrivals() {
    return serving.loops().run(_ -> {});
  }

  private void closeLater(Serving leaving, Duration drainTimeout) {
    new CompletableFuture<Void>()
        .completeOnTimeout(null, drainTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .thenCompose(_ -> leaving.loops().run(ProxyListener::closeClients));
  }

  /** Accepts clients again at the same addresses; fails like {@link #bind}. */
  public CompletableFuture<Void> resume() {
    return open(listenAddress(), BoundSockets.NONE)
        .thenAccept(this::take)
        .thenCompose(_ -> closeOthers());
  }

  /** See {@link ClientDirectory#kill}. */
  public CompletableFuture<Integer> kill(Map<String, String> options) {
    return directory.kill(options, upstream().servers()).toCompletableFuture();
  }

  /** Stops accepting clients. Completes when the last accepted client is on its loop. */
  CompletableFuture<Void> stopAccepting() {
    return socket.close();
  }

  /**
   * Stops accepting clients and answers the requests in flight. Completes when all clients are
   * closed.
   */
  public CompletableFuture<Void> drain() {
    return stopAccepting()
        .thenCompose(_ -> serving.loops().run(SessionLoop::drain))
        .thenCompose(_ -> admission.whenEmpty());
  }

  /**
   * Closes the socket and all clients at once, and frees what the upstream has for them. Completes
   * when each loop has closed its own.
   */
  public CompletableFuture<Void> close() {
    CompletableFuture<Void> closed = stopAccepting();
    Serving now = serving;
    for (Serving each : joined(now.past().draining(), List.of(now))) {
      closed =
          closed
              .thenCompose(_ -> each.loops().run(ProxyListener::closeClients))
              .thenCompose(_ -> forget(each));
    }
    return closed;
  }

  private CompletableFuture<Void> forget(Serving served) {
    return served
        .loops()
        .visit((clients, loop, lane) -> {
          served.upstream().forget(clients, loop, lane);
          clients.close();
        });
  }

  /** Forgets clients that were told to leave if all have. When others are told to. */
  private CompletableFuture<Void> tidy() {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (Serving each : serving.past().draining()) {
      done =
          done.thenCompose(_ -> each.loops().collect(loop -> loop.sessions().isEmpty()))
              .thenCompose(empty ->
                  empty.contains(false)
                      ? CompletableFuture.completedFuture(null)
                      : forgetDrained(each));
    }
    return done;
  }

  private CompletableFuture<Void> forgetDrained(Serving drained) {
    return drained
        .loops()
        .collect(StatsCollector::read)
        .thenCompose(figures -> {
          Past past = serving.past();
          List<Serving> others =
              past.draining().stream().filter(each -> !each.equals(drained)).toList();
          serving =
              serving.with(
                  new Past(others, figures.stream().reduce(past.stats(), ProxyStats::plus)));
          return forget(drained);
        });
  }

  private static void closeClients(SessionLoop clients) {
    for (Session session : List.copyOf(clients.sessions())) {
      session.closeNow("the proxy ends");
    }
  }
}
