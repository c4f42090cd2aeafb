package io.penstock.core.session;

import io.netty.channel.EventLoop;
import io.penstock.core.cluster.Topology;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.CommandTable;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
import io.penstock.core.route.Router;
import io.penstock.core.transport.Loop;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What the clients of one event loop share. Used on that loop only. */
public final class SessionLoop {

  private static final int SPARE_REQUESTS = 16_384;

  private final Loop loop;
  private final SessionSettings settings;
  private final CommandTable table;
  private final CommandReplies commandReplies;
  private final Router router;
  private final Dispatcher dispatcher;
  private final Topology topology;
  private final ClientDirectory directory;
  private final LoopCounters counters;
  private final Set<Session> sessions = new LinkedHashSet<>();
  private boolean draining;
  private final ArrayDeque<Request> spare = new ArrayDeque<>();

  public SessionLoop(
      Loop loop,
      SessionSettings settings,
      CommandTable table,
      Router router,
      Dispatcher dispatcher,
      Topology topology,
      ClientDirectory directory) {
    this.loop = loop;
    this.settings = settings;
    this.table = table;
    this.commandReplies = new CommandReplies(table);
    this.router = router;
    this.dispatcher = dispatcher;
    this.topology = topology;
    this.directory = directory;
    this.counters = new LoopCounters(table.size());
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

  boolean isSharded() {
    return settings.sharded();
  }

  CommandTable table() {
    return table;
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

  Topology topology() {
    return topology;
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

  Request takeRequest() {
    Request request = spare.pollLast();
    return request == null ? new Request() : request;
  }

  void recycle(Request request) {
    request.recycle();
    if (spare.size() < SPARE_REQUESTS) {
      spare.addLast(request);
    }
  }
}
