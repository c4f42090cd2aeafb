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
import io.penstock.core.forward.ForwardSite;
import io.penstock.core.forward.ForwardedPool;
import io.penstock.core.forward.GatherLimit;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.LoopMemory;
import io.penstock.core.limit.SlowClients;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.Rate;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.reply.ReplySlots;
import io.penstock.core.retry.RetrySite;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.route.Router;
import io.penstock.core.script.LoopScripts;
import io.penstock.core.subscribe.SubscribeSite;
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

/** What the clients of one event loop share. Used on that loop only. */
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
  private final ClientLog notices;
  private final LoopScripts scripts;
  private final ClientPause pause;
  private final RetrySite retrySite;
  private final ForwardSite forwardSite;
  private final SubscribeSite subscribeSite;
  private final AnswerLoop answerSite;
  private final Sweep sweep;
  private CommandReplies commandReplies;
  private final Rate commands = new Rate();
  private final Rate received = new Rate();
  private final Rate sent = new Rate();
  private long sampledAt;
  private boolean draining;

  /**
   * @param routing how requests get to nodes
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
    this.nodes =
        new Nodes(
            dispatcher, routing.topology(), settings.times(), settings.face()::topologyFailure);
    this.slots = new ReplySlots(loop, counters);
    this.memory = new LoopMemory(directory.memory(), loop, limits.memory());
    this.notices = new ClientLog(counters, limits);
    this.scripts = new LoopScripts(directory.scripts());
    this.pause =
        new ClientPause(
            loop, new ReadOnlyCalls(directory.scripts(), this::takeUpAll), this::takeUpAll);
    var refusals = new RetryableErrors(routing.topology().errorPolicy(), nodes);
    this.retrySite = new RetrySite(refusals, directory.scripts(), counters);
    var gathering = new GatherLimit(settings.limits().maxRequestLength(), notices);
    this.forwardSite = new ForwardSite(exchanges, hub, scripts, gathering, memory.maxHeapCopy());
    this.subscribeSite = new SubscribeSite(hub, memory, counters);
    this.answerSite = makeAnswerSite();
    this.sweep = new Sweep(this, limits.timeouts(), loop.now());
    directory.add(this);
  }

  private AnswerLoop makeAnswerSite() {
    var access =
        new AnswerLoop.Access(settings.password(), settings.database(), delayed, notices, counters);
    return new AnswerLoop(settings.face(), directory, () -> commandReplies, access, pause);
  }

  /**
   * How the requests of one event loop get to nodes.
   *
   * @param router of the loop
   * @param dispatcher of the loop
   * @param hub of the loop
   * @param topology of the upstream
   */
  public record Routing(Router router, Dispatcher dispatcher, Hub hub, Topology topology) {}

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

  /** What clients must {@code AUTH} with, or null. */
  @Nullable String password() {
    return settings.password();
  }

  /** The database that clients are in. */
  int database() {
    return settings.database();
  }

  /** What clients may take. */
  ClientLimits limits() {
    return settings.clientLimits();
  }

  long nextId() {
    return directory.nextId();
  }

  /** What is known of the servers, as this loop has last heard. */
  public ServerFacts servers() {
    return reader.servers();
  }

  /** Goes on with what is known of the servers now; ids of commands stay what they are. */
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

  /** The requests that wait until they can be sent. */
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

  /** Places for replies. */
  ReplySlots slots() {
    return slots;
  }

  /** What the clients keep. */
  LoopMemory memory() {
    return memory;
  }

  SlowClients slowClients() {
    return slowClients;
  }

  DelayedClients delayed() {
    return delayed;
  }

  ClientLog notices() {
    return notices;
  }

  LoopScripts scripts() {
    return scripts;
  }

  RetrySite retrySite() {
    return retrySite;
  }

  ForwardSite forwardSite() {
    return forwardSite;
  }

  SubscribeSite subscribeSite() {
    return subscribeSite;
  }

  AnswerLoop answerSite() {
    return answerSite;
  }

  @Override
  public ClientPause pause() {
    return pause;
  }

  /** Called several times per command timeout. */
  public void tick(long now) {
    sweep.tick(now);
  }

  /** Lets go of what nobody has needed for some time. */
  void releaseSpares() {
    memory.check();
    slots.trim();
    exchanges.look();
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

  private void takeUpAll() {
    List.copyOf(sessions).forEach(Session::processInput);
  }

  boolean isDraining() {
    return draining;
  }

  /**
   * Lets every client's requests in flight be answered, then closes it; also clients yet to come.
   */
  public void drain() {
    draining = true;
    List.copyOf(sessions).forEach(Session::drain);
  }

  /** Looks, at most twice a second, at how fast the counters grow. */
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

  /** What passes between this loop's clients and Penstock. */
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

  /** What this loop's clients take. */
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

  /** Whether so many requests are unanswered that no more should be sent to nodes. */
  boolean isFull() {
    return slots.inUse() >= settings.clientLimits().totalInFlight();
  }
}
