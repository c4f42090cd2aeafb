package io.penstock.core.session;

import io.netty.channel.EventLoop;
import io.penstock.core.answer.AnswerLoop;
import io.penstock.core.answer.DelayedClients;
import io.penstock.core.answer.Passwords;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.client.ClientLog;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.crossslot.CrossSlotLoop;
import io.penstock.core.crossslot.CrossSlotSettings;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.directory.LoopClients;
import io.penstock.core.directory.ReadOnlyCalls;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.forward.ForwardLoop;
import io.penstock.core.forward.ForwardedPool;
import io.penstock.core.forward.GatherLimit;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.LoopMemory;
import io.penstock.core.limit.SlowClients;
import io.penstock.core.mirroring.MirrorLink;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.Rate;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.reply.ReplyObserver;
import io.penstock.core.reply.ReplySlots;
import io.penstock.core.retry.RetryLoop;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.route.Router;
import io.penstock.core.script.LoopScripts;
import io.penstock.core.script.Scripts;
import io.penstock.core.shadow.ShadowLink;
import io.penstock.core.subscribe.SubscribeLoop;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.ReadGate;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Topology;
import io.penstock.core.users.Users;
import io.penstock.core.waiting.KeyWaits;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** State shared by the clients of one event loop. Used on that loop only. */
public final class SessionLoop implements LoopClients {

  private final Loop loop;
  private SessionSettings settings;
  private LoopRoutes routes;
  private final ClientDirectory directory;
  private final LoopCounters counters;
  private final Set<Session> sessions = new LinkedHashSet<>();
  private final RequestReader reader;
  private final ReplySlots slots;
  private final ForwardedPool exchanges = new ForwardedPool();
  private final LoopMemory memory;
  private final SlowClients slowClients = new SlowClients();
  private final DelayedClients delayed = new DelayedClients();
  private final ClientLog clientLog;
  private final ClientPause pause;
  private final Laggards laggards = new Laggards();
  private final Sweep sweep;
  private final Runnable usersWatcher = this::onUsersChange;
  private CommandReplies commandReplies;
  private final Rate commands = new Rate();
  private final Rate received = new Rate();
  private final Rate sent = new Rate();
  private long sampledAt;
  private boolean draining;

  /**
   * @param routing how requests reach nodes
   * @param directory of the clients of all loops
   */
  public SessionLoop(
      Loop loop,
      SessionSettings settings,
      ServerFacts servers,
      Routing routing,
      ClientDirectory directory) {
    this.loop = loop;
    this.settings = settings;
    this.directory = directory;
    ClientLimits limits = settings.clientLimits();
    this.counters = new LoopCounters(servers.commands().size());
    this.commandReplies = new CommandReplies(servers.commands());
    this.reader = new RequestReader(settings.limits(), servers);
    this.slots = new ReplySlots(loop, counters);
    this.memory = new LoopMemory(directory.memory(), loop, limits.memory());
    this.clientLog = new ClientLog(directory.listener(), counters, limits);
    this.pause =
        new ClientPause(
            loop, new ReadOnlyCalls(this::scripts, this::processAllInput), this::processAllInput);
    this.routes = routes(routing, settings);
    this.sweep = new Sweep(this, limits.timeouts(), loop.now());
    directory.add(this);
    watch(null, settings.users());
  }

  /** Follows changes of other users from now on. */
  private void watch(@Nullable Users before, @Nullable Users now) {
    if (before != null) {
      before.unwatch(usersWatcher);
    }
    if (now != null) {
      now.watch(usersWatcher);
    }
  }

  /** On the thread that changes the users. */
  private void onUsersChange() {
    loop.executor().execute(this::followUsers);
  }

  private void followUsers() {
    List.copyOf(sessions).forEach(session -> session.user().follow());
  }

  private LoopRoutes routes(Routing routing, SessionSettings settings) {
    ServedUpstream upstream = routing.upstream();
    var nodes =
        new Nodes(
            routing.dispatcher(),
            routing.topology(),
            upstream.times(),
            settings.face()::topologyFailure,
            upstream.label());
    var scripts = new LoopScripts(upstream.scripts());
    var retryableErrors = new RetryableErrors(routing.topology().errorPolicy(), nodes);
    var gathering = new GatherLimit(settings.limits().maxRequestLength(), clientLog);
    CrossSlotSettings crossSlot =
        routing.mirror().mirror() == null
            ? settings.crossSlot()
            : settings.crossSlot().with(CrossSlot.REJECT); // its steps are not copied
    Router router = routing.router().with(crossSlot.mode(), crossSlot.scripts());
    return new LoopRoutes(
        routing,
        settings.users() == null ? router : router.withUsers(),
        nodes,
        scripts,
        new RetryLoop(retryableErrors, upstream.scripts(), counters),
        new ForwardLoop(
            exchanges, routing.hub(), scripts, gathering, memory.maxHeapCopy(), routing.shadow()),
        new CrossSlotLoop(
            crossSlot,
            routing.topology().current().partitioner(),
            new GatherLimit(crossSlot.maxBytes(), clientLog),
            counters.crossSlot(),
            new KeyWaits(loop, nodes, retryableErrors, crossSlot.pollInterval())),
        new SubscribeLoop(routing.hub(), memory, counters),
        answerLoop(settings, upstream));
  }

  private AnswerLoop answerLoop(SessionSettings settings, ServedUpstream upstream) {
    var access =
        new AnswerLoop.Access(
            settings.passwords(),
            settings.certificateUsers(),
            settings.users(),
            upstream.database(),
            upstream.chain(),
            delayed,
            clientLog,
            counters);
    return new AnswerLoop(settings.face(), directory, () -> commandReplies, access, pause);
  }

  private Scripts scripts() {
    return routes.routing().upstream().scripts();
  }

  /**
   * How the requests of one event loop reach nodes.
   *
   * @param router of the loop
   * @param dispatcher of the loop
   * @param hub of the loop
   * @param topology of the upstream
   * @param upstream the same on all loops
   * @param shadow of the loop
   * @param mirror of the loop
   */
  public record Routing(
      Router router,
      Dispatcher dispatcher,
      Hub hub,
      Topology topology,
      ServedUpstream upstream,
      ShadowLink shadow,
      MirrorLink mirror) {

    /** Returns it without a shadow and without copies. */
    public Routing(
        Router router, Dispatcher dispatcher, Hub hub, Topology topology, ServedUpstream upstream) {
      this(router, dispatcher, hub, topology, upstream, new ShadowLink(), new MirrorLink());
    }
  }

  /**
   * Replaces the settings and the upstream. Limits apply at once. New clients use everything from
   * now on; others when none of their requests is under way: a client that is blocked or within a
   * transaction keeps its handlers until it is not, and so does a subscriber if the hub is another.
   *
   * @param now what is known about the servers of the upstream
   */
  public void adopt(SessionSettings next, Routing routing, ServerFacts now) {
    ClientLimits limits = next.clientLimits();
    boolean otherUsers = !Objects.equals(settings.users(), next.users());
    watch(settings.users(), next.users());
    settings = next;
    reader.update(next.limits());
    memory.limit(limits.memory());
    clientLog.limits(limits);
    sweep.timeouts(limits.timeouts());
    routes = routes(routing, next);
    adopt(now);
    for (Session session : List.copyOf(sessions)) {
      session.adopt(limits, next.users());
    }
    laggards.addAll(sessions);
    laggards.check(routes);
    if (otherUsers) {
      laggards.leave(routes); // at earlier routes, clients log in as earlier users
    }
  }

  /** Returns whether a client, present or future, uses the connections of an upstream. */
  public boolean uses(Routing routing) {
    boolean over = draining && sessions.isEmpty();
    return (routes.routing().equals(routing) && !over) || laggards.anyUses(routing);
  }

  /** Frees what other loops know of this one. All clients have left, and none will come. */
  public void close() {
    directory.remove(this);
    watch(settings.users(), null);
    memory.close();
  }

  /**
   * Ends blocking calls of clients that still use an earlier upstream, so that they change to the
   * latest; closes others once their requests are answered.
   */
  public void drainLaggards(Routing routing) {
    laggards.drain(routing, routes);
  }

  Loop loop() {
    return loop;
  }

  @Override
  public EventLoop executor() {
    return loop.executor();
  }

  @Override
  public Slices slices() {
    return loop.slices();
  }

  ReadGate readGate() {
    return loop.readGate();
  }

  /** The passwords of clients. */
  Passwords passwords() {
    return settings.passwords();
  }

  /** The users; null if the password is all there is. */
  @Nullable Users users() {
    return settings.users();
  }

  /** What new clients are connected to. */
  LoopRoutes routes() {
    return routes;
  }

  /** The limits for clients. */
  ClientLimits limits() {
    return settings.clientLimits();
  }

  long nextId() {
    return directory.nextId();
  }

  /** What this loop knows about the servers. */
  public ServerFacts servers() {
    return reader.servers();
  }

  /** Replaces what the loop knows about the servers; the ids of commands do not change. */
  public void adopt(ServerFacts now) {
    reader.update(now);
    commandReplies = new CommandReplies(now.commands());
    counters.grow(now.commands().size());
    for (Session session : sessions) {
      session.adopt(now.commands());
    }
  }

  /** The requests that wait for a node: the failover hold. */
  public HeldRequests failoverHold() {
    return routes.routing().dispatcher().nodes().heldRequests();
  }

  public Hub hub() {
    return routes.routing().hub();
  }

  RequestReader reader() {
    return reader;
  }

  /** Tells another observer of the replies that end from now on, too. On the loop. */
  public void observe(ReplyObserver more) {
    slots.observe(more);
  }

  /** The places for replies. */
  ReplySlots slots() {
    return slots;
  }

  /** The memory of the clients. */
  LoopMemory memory() {
    return memory;
  }

  SlowClients slowClients() {
    return slowClients;
  }

  DelayedClients delayed() {
    return delayed;
  }

  ClientLog clientLog() {
    return clientLog;
  }

  @Override
  public ClientPause pause() {
    return pause;
  }

  /** Called several times per command timeout. */
  public void tick(long now) {
    sweep.tick(now);
    laggards.check(routes);
  }

  /** Releases pooled objects that have been unused for some time. */
  void releaseSpares() {
    memory.check();
    slots.trim();
    exchanges.trim();
  }

  public LoopCounters counters() {
    return counters;
  }

  /** The clients of this loop, oldest first. */
  public Set<Session> sessions() {
    return sessions;
  }

  @Override
  public List<ClientView> clients() {
    return sessions.stream().map(Session::view).toList();
  }

  private void processAllInput() {
    List.copyOf(sessions).forEach(Session::processInput);
  }

  boolean isDraining() {
    return draining;
  }

  /** Closes every client, present and future, once its requests in flight are answered. */
  public void drain() {
    draining = true;
    List.copyOf(sessions).forEach(Session::drain);
  }

  /** Samples the rates of the counters, at most twice a second. */
  public void sampleRates(long now) {
    if (now - sampledAt >= Rate.PERIOD_NANOS) {
      sampledAt = now;
      commands.sample(now, counters.total());
      received.sample(now, counters.received());
      sent.sample(now, bytesSent());
    }
  }

  private long bytesSent() {
    long bytes = counters.sent();
    for (Session session : sessions) {
      bytes += session.output().appendedBytes();
    }
    return bytes;
  }

  /** The traffic between this loop's clients and Penstock. */
  public Traffic traffic() {
    long blocked = 0;
    for (Session session : sessions) {
      blocked += session.isBlocked() ? 1 : 0;
    }
    boolean over = draining && sessions.isEmpty(); // rates are not sampled any more
    return new Traffic(
        counters.received(),
        bytesSent(),
        over ? 0 : commands.perSecond(),
        over ? 0 : received.perSecond(),
        over ? 0 : sent.perSecond(),
        blocked);
  }

  /** The resources that this loop's clients use. */
  public Pressure pressure() {
    long paused = 0;
    for (Session session : sessions) {
      paused += session.isRead() ? 0 : 1;
    }
    Map<CloseReason, Long> closed = new EnumMap<>(CloseReason.class);
    for (CloseReason reason : CloseReason.values()) {
      closed.put(reason, counters.closes(reason));
    }
    return new Pressure(
        memory.all().used(),
        slots.inUse(),
        paused,
        closed,
        counters.authenticationFailures(),
        counters.authenticationDelays());
  }

  /**
   * Whether the limit of requests in flight for all clients is reached, so that no more are sent to
   * nodes.
   */
  boolean isFull() {
    return slots.inUse() >= settings.clientLimits().totalInFlight();
  }
}
