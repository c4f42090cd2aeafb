package io.penstock.core.session;

import io.netty.channel.EventLoop;
import io.penstock.core.answer.AnswerLoop;
import io.penstock.core.answer.ClientDirectory;
import io.penstock.core.answer.ClientPause;
import io.penstock.core.answer.DelayedClients;
import io.penstock.core.answer.LoopClients;
import io.penstock.core.answer.ReadOnlyCalls;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.client.ClientLog;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.forward.ForwardLoop;
import io.penstock.core.forward.ForwardedPool;
import io.penstock.core.forward.GatherLimit;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.LoopMemory;
import io.penstock.core.limit.SlowClients;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.Rate;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.reply.ReplySlots;
import io.penstock.core.retry.RetryLoop;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.route.Router;
import io.penstock.core.script.LoopScripts;
import io.penstock.core.subscribe.SubscribeLoop;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.ReadGate;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Topology;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** State shared by the clients of one event loop. Used on that loop only. */
public final class SessionLoop implements LoopClients {

  private final Loop loop;
  private final SessionSettings settings;
  private final Router router;
  private final Dispatcher dispatcher;
  private final Hub hub;
  private final ClientDirectory directory;
  private final LoopCounters counters;
  private final Set<Session> sessions = new LinkedHashSet<>();
  private final Nodes nodes;
  private final RequestReader reader;
  private final ReplySlots slots;
  private final ForwardedPool exchanges = new ForwardedPool();
  private final LoopMemory memory;
  private final SlowClients slowClients = new SlowClients();
  private final DelayedClients delayed = new DelayedClients();
  private final ClientLog clientLog;
  private final LoopScripts scripts;
  private final ClientPause pause;
  private final RetryLoop retryLoop;
  private final ForwardLoop forwardLoop;
  private final SubscribeLoop subscribeLoop;
  private final AnswerLoop answerLoop;
  private final Sweep sweep;
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
    this.router = routing.router();
    this.dispatcher = routing.dispatcher();
    this.hub = routing.hub();
    this.directory = directory;
    ClientLimits limits = settings.clientLimits();
    this.counters = new LoopCounters(servers.commands().size());
    this.commandReplies = new CommandReplies(servers.commands());
    this.reader = new RequestReader(settings.limits(), servers);
    this.nodes = nodes(routing, settings);
    this.slots = new ReplySlots(loop, counters);
    this.memory = new LoopMemory(directory.memory(), loop, limits.memory());
    this.clientLog = new ClientLog(directory.listener(), counters, limits);
    this.scripts = new LoopScripts(directory.scripts());
    this.pause =
        new ClientPause(
            loop,
            new ReadOnlyCalls(directory.scripts(), this::processAllInput),
            this::processAllInput);
    var retryableErrors = new RetryableErrors(routing.topology().errorPolicy(), nodes);
    this.retryLoop = new RetryLoop(retryableErrors, directory.scripts(), counters);
    var gathering = new GatherLimit(settings.limits().maxRequestLength(), clientLog);
    this.forwardLoop = new ForwardLoop(exchanges, hub, scripts, gathering, memory.maxHeapCopy());
    this.subscribeLoop = new SubscribeLoop(hub, memory, counters);
    this.answerLoop = makeAnswerSite();
    this.sweep = new Sweep(this, limits.timeouts(), loop.now());
    directory.add(this);
  }

  private static Nodes nodes(Routing routing, SessionSettings settings) {
    return new Nodes(
        routing.dispatcher(),
        routing.topology(),
        settings.times(),
        settings.face()::topologyFailure,
        routing.upstream());
  }

  private AnswerLoop makeAnswerSite() {
    var access =
        new AnswerLoop.Access(
            settings.password(),
            settings.certificateUsers(),
            settings.database(),
            delayed,
            clientLog,
            counters);
    return new AnswerLoop(settings.face(), directory, () -> commandReplies, access, pause);
  }

  /**
   * How the requests of one event loop reach nodes.
   *
   * @param router of the loop
   * @param dispatcher of the loop
   * @param hub of the loop
   * @param topology of the upstream
   * @param upstream what log lines name
   */
  public record Routing(
      Router router, Dispatcher dispatcher, Hub hub, Topology topology, Label upstream) {}

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

  /** The password of clients, or null if none is required. */
  @Nullable String password() {
    return settings.password();
  }

  /** The database of the clients. */
  int database() {
    return settings.database();
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

  Router router() {
    return router;
  }

  /** The requests that wait for a node: the failover hold. */
  public HeldRequests failoverHold() {
    return dispatcher.heldRequests();
  }

  public Hub hub() {
    return hub;
  }

  Nodes nodes() {
    return nodes;
  }

  RequestReader reader() {
    return reader;
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

  LoopScripts scripts() {
    return scripts;
  }

  RetryLoop retryLoop() {
    return retryLoop;
  }

  ForwardLoop forwardLoop() {
    return forwardLoop;
  }

  SubscribeLoop subscribeLoop() {
    return subscribeLoop;
  }

  AnswerLoop answerLoop() {
    return answerLoop;
  }

  @Override
  public ClientPause pause() {
    return pause;
  }

  /** Called several times per command timeout. */
  public void tick(long now) {
    sweep.tick(now);
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
  public Collection<Session> clients() {
    return sessions;
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
    return new Traffic(
        counters.received(),
        bytesSent(),
        commands.perSecond(),
        received.perSecond(),
        sent.perSecond(),
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
        memory.all().used(), slots.inUse(), paused, closed, counters.authenticationFailures());
  }

  /**
   * Whether the limit of requests in flight for all clients is reached, so that no more are sent to
   * nodes.
   */
  boolean isFull() {
    return slots.inUse() >= settings.clientLimits().totalInFlight();
  }
}
