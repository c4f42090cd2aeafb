package io.penstock.core.assembly;

import io.netty.channel.EventLoop;
import io.penstock.core.answer.Passwords;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.info.ProxyFacts;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ClientService;
import io.penstock.core.listener.RespService;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.session.SessionSettings;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.users.AllUsers;
import io.penstock.core.users.Users;
import io.penstock.core.users.UsersSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A listener for clients that speak RESP: their sessions on each event loop. They use the
 * connections of its {@link RespUpstream} to nodes. All methods are safe from any thread.
 */
public final class RespListener extends ProxyListener {

  private final int eventLoops;
  private final LoopGroup group;
  private final Admission admission;
  private final AllUsers allUsers;
  private final RespService service = new RespService(this::clientsOn);
  private final ClientDirectory directory;
  private final ListenerView view;
  private volatile Serving serving;

  /**
   * The settings in force, and the clients that have them. Replaced as a whole.
   *
   * @param passwords of clients, which a change of the settings may leave valid for some time
   * @param users of clients; null if the password is all there is
   * @param loops its clients, for each loop and lane of the upstream
   * @param past its clients that new ones do not join
   */
  private record Serving(
      ProxySettings.Listener settings,
      RespUpstream upstream,
      Passwords passwords,
      @Nullable Users users,
      LoopParts<SessionLoop> loops,
      Past past) {

    Serving with(Past other) {
      return new Serving(settings, upstream, passwords, users, loops, other);
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
   * What the listeners of a proxy share.
   *
   * @param clients all clients of the process
   * @param users of all scopes
   */
  public record Shared(ClientDirectory.AllClients clients, AllUsers users) {}

  public RespListener(
      ProxySettings.Listener settings,
      RespUpstream upstream,
      LoopGroup group,
      Shared shared,
      Admission admission) {
    super(group, admission, settings);
    this.eventLoops = group.loops().size();
    this.group = group;
    this.admission = admission;
    this.serving =
        new Serving(
            settings,
            upstream,
            Passwords.of(settings.listen().password()),
            users(null, settings.listen().users(), shared.users()),
            newLoops(upstream),
            Past.NONE);
    this.allUsers = shared.users();
    this.directory = new ClientDirectory(shared.clients(), admission.label());
    this.view = new ListenerView(this, facts(settings), settings);
  }

  /** Returns the users of changed settings, as these have them; null if there are none. */
  private static @Nullable Users users(
      @Nullable UsersSettings before, @Nullable UsersSettings next, AllUsers all) {
    Users users = next == null ? null : all.join(next);
    if (before != null) {
      all.leave(before);
      if (users != null) {
        users.adopt(Objects.requireNonNull(next));
      }
    }
    return users;
  }

  private LoopParts<SessionLoop> newLoops(RespUpstream upstream) {
    return new LoopParts<>(group, upstream.lanes());
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
        tls == null ? CertificateUsers.NONE : tls.settings().users(),
        now.users(),
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

  @Override
  ClientService service() {
    return service;
  }

  @Override
  public RespUpstream upstream() {
    return serving.upstream();
  }

  @Override
  public CompletableFuture<ProxyStats> figures() {
    Serving now = serving;
    CompletableFuture<List<ProxyStats>> all = now.loops().collect(StatsCollector::read);
    for (Serving each : now.past().draining()) {
      all = all.thenCombine(each.loops().collect(StatsCollector::read), RespListener::joined);
    }
    return all.thenApply(
        figures -> StatsCollector.ofListener(figures, admission).plus(now.past().stats()));
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  @Override
  public ProxySettings.Listener settings() {
    return serving.settings();
  }

  @Override
  public boolean canServe(ProxyUpstream other) {
    return other instanceof RespUpstream;
  }

  @Override
  public CompletableFuture<Void> adopt(
      ProxySettings.Listener next, ProxyUpstream other, Duration drainTimeout) {
    if (!(other instanceof RespUpstream upstream)) {
      throw new IllegalArgumentException("not an upstream of this listener");
    }
    Serving before = serving;
    ProxySettings.Listen listen = next.listen();
    Passwords passwords =
        before
            .passwords()
            .changedTo(listen.password(), listen.passwordOverlap(), System.nanoTime());
    boolean sameLanes = upstream.lanes() == before.upstream().lanes();
    LoopParts<SessionLoop> loops = sameLanes ? before.loops() : newLoops(upstream);
    Past past = sameLanes ? before.past() : before.past().and(before);
    Users users = users(before.settings().listen().users(), listen.users(), allUsers);
    var now = new Serving(next, upstream, passwords, users, loops, past);
    serving = now;
    view.adopt(next);
    adopt(listen);
    return sameLanes ? adopt(now, before.upstream()) : leave(before);
  }

  private CompletableFuture<Void> adopt(Serving now, RespUpstream before) {
    RespUpstream upstream = now.upstream();
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

  @Override
  public CompletableFuture<Void> suspend(Duration drainTimeout) {
    return stopAccepting()
        .thenCompose(_ -> arrivals())
        .thenCompose(_ -> {
          Serving before = serving;
          RespUpstream upstream = before.upstream();
          serving =
              new Serving(
                  before.settings(),
                  upstream,
                  before.passwords(),
                  before.users(),
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
        .thenCompose(_ -> leaving.loops().run(RespListener::closeClients));
  }

  @Override
  public CompletableFuture<Integer> kill(Map<String, String> options) {
    return directory.kill(options, upstream().servers()).toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> drain() {
    return stopAccepting()
        .thenCompose(_ -> serving.loops().run(SessionLoop::drain))
        .thenCompose(_ -> admission.whenEmpty());
  }

  @Override
  public CompletableFuture<Void> close() {
    CompletableFuture<Void> closed = stopAccepting();
    Serving now = serving;
    users(now.settings().listen().users(), null, allUsers);
    for (Serving each : joined(now.past().draining(), List.of(now))) {
      closed =
          closed
              .thenCompose(_ -> each.loops().run(RespListener::closeClients))
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
