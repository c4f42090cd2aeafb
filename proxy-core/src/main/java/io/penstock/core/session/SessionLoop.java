package io.penstock.core.session;

import io.netty.channel.EventLoop;
import io.netty.util.internal.PlatformDependent;
import io.penstock.core.backend.Hold;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.Rate;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.Router;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Topology;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What the clients of one event loop share. Used on that loop only. */
public final class SessionLoop {

  /** One client may hold this share of the memory that there is for replies. */
  private static final int SHARE_HELD = 4;

  private final Loop loop;
  private final SessionSettings settings;
  private final long mostHeld;
  private final Router router;
  private final Dispatcher dispatcher;
  private final Hub hub;
  private final Topology topology;
  private final ClientDirectory directory;
  private final LoopCounters counters;
  private final Set<Session> sessions = new LinkedHashSet<>();
  private ServerFacts servers;
  private CommandReplies commandReplies;
  private final LoopMemory memory;
  private final Sweep sweep;
  private final Digests digests = new Digests();
  private final Pause pause = new Pause(this);
  private final Rate commands = new Rate();
  private final Rate received = new Rate();
  private final Rate sent = new Rate();
  private long sampledAt;
  private boolean draining;
  private final int mostUnanswered;
  private final RequestPool requests = new RequestPool();

  public SessionLoop(
      Loop loop,
      SessionSettings settings,
      ServerFacts servers,
      Router router,
      Dispatcher dispatcher,
      Hub hub,
      Topology topology,
      ClientDirectory directory) {
    this.loop = loop;
    this.settings = settings;
    this.mostHeld =
        Math.min(
            settings.limits().maxRequestLength(), PlatformDependent.maxDirectMemory() / SHARE_HELD);
    this.servers = servers;
    this.commandReplies = new CommandReplies(servers.commands());
    this.router = router;
    this.dispatcher = dispatcher;
    this.hub = hub;
    this.topology = topology;
    this.directory = directory;
    this.counters = new LoopCounters(servers.commands().size());
    this.memory = new LoopMemory(directory, loop, sessions, settings.clientLimits().memory());
    this.sweep = new Sweep(this);
    this.mostUnanswered = settings.clientLimits().totalInFlight();
    directory.add(this);
  }

  Loop loop() {
    return loop;
  }

  long now() {
    return loop.now();
  }

  long tick() {
    return loop.tick();
  }

  /** The loop's executor. */
  public EventLoop executor() {
    return loop.executor();
  }

  SessionSettings settings() {
    return settings;
  }

  /**
   * Bytes of replies that one request may keep until all of them are there: as many as a request
   * may have, where there is memory for several such.
   */
  long mostHeld() {
    return mostHeld;
  }

  boolean isSharded() {
    return settings.sharded();
  }

  /** What is known of the servers, as this loop has last heard. */
  public ServerFacts servers() {
    return servers;
  }

  /** Goes on with what is known of the servers now; ids of commands stay what they are. */
  public void adopt(ServerFacts now) {
    servers = now;
    commandReplies = new CommandReplies(now.commands());
    counters.grow(now.commands().size());
    for (Session session : sessions) {
      session.intake().adopt(now.commands());
    }
  }

  CommandReplies commandReplies() {
    return commandReplies;
  }

  Router router() {
    return router;
  }

  public Dispatcher dispatcher() {
    return dispatcher;
  }

  /** What waits until it can be sent. */
  public Hold hold() {
    return dispatcher.hold();
  }

  public Hub hub() {
    return hub;
  }

  /** What the clients keep in buffers. */
  LoopMemory memory() {
    return memory;
  }

  /** What looks at the clients now and then. */
  Sweep sweep() {
    return sweep;
  }

  /** Called several times per command timeout. */
  public void tick(long now) {
    sweep.tick(now);
  }

  Topology topology() {
    return topology;
  }

  /** The error for a slot that nobody serves, and why if no node has told of any. */
  byte[] notServed() {
    boolean unknown = topology.current().shards().isEmpty();
    return unknown ? ErrorReplies.notServed(settings.face().unreached()) : ErrorReplies.NOT_SERVED;
  }

  /** Remembers the script that a request on its way to the nodes carries, or forgets all. */
  void noteScript(CommandSpec spec, RequestFrame frame) {
    directory.scripts().note(spec, frame, digests);
  }

  ClientDirectory directory() {
    return directory;
  }

  public LoopCounters counters() {
    return counters;
  }

  /** The clients of this loop, oldest first. */
  public Set<Session> sessions() {
    return sessions;
  }

  /**
   * Ends the blocking of a client, if it is one of this loop's and blocks.
   *
   * @return completes with how many clients were unblocked, on this loop
   */
  CompletionStage<Integer> unblock(long id, boolean error) {
    var unblocked = new CompletableFuture<Integer>();
    for (Session session : sessions) {
      if (session.id() == id) {
        session.intake().blocked().unblock(error, unblocked::complete);
        return unblocked;
      }
    }
    return CompletableFuture.completedStage(0);
  }

  Pause pause() {
    return pause;
  }

  /** What is too long for one turn. */
  Slices slices() {
    return loop.slices();
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

  void record(CommandSpec command, Outcome outcome, long since) {
    counters.record(command.id(), outcome, loop.now() - since);
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
      bytes += session.output().bytes();
    }
    return bytes;
  }

  /** What passes between this loop's clients and Penstock. */
  public Traffic traffic() {
    long blocked = 0;
    for (Session session : sessions) {
      blocked += session.intake().blocked().isBlocked() ? 1 : 0;
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
      paused += session.channel().config().isAutoRead() ? 0 : 1;
    }
    Map<CloseReason, Long> closed = new EnumMap<>(CloseReason.class);
    for (CloseReason reason : CloseReason.values()) {
      closed.put(reason, counters.closedFor(reason));
    }
    return new Pressure(
        memory.all().used(), requests.inUse(), paused, closed, counters.authenticationFailures());
  }

  /** Whether so many requests are unanswered that no more should be sent to nodes. */
  boolean isFull() {
    return requests.inUse() >= mostUnanswered;
  }

  /** Those of all clients. */
  RequestPool requests() {
    return requests;
  }
}
