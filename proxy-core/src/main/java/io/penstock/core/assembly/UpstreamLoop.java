package io.penstock.core.assembly;

import io.penstock.core.command.ServerFacts;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.mirroring.LoopMirror;
import io.penstock.core.mirroring.Mirror;
import io.penstock.core.mirroring.MirrorLink;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.route.Router;
import io.penstock.core.session.ServedUpstream;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.shadow.ShadowLink;
import io.penstock.core.shadow.ShadowSettings;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Topology;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's part of an upstream: its connections to nodes, which the sessions of all
 * listeners of the upstream use, and the tick that checks deadlines. An upstream with several lanes
 * has one for each lane. It is made when the lane's first client arrives on the loop. Used on that
 * loop only.
 */
final class UpstreamLoop {

  private static final long LONGEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SHORTEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Ticks per command timeout: a deadline fires late by at most this fraction of the timeout. */
  private static final int TICKS_PER_TIMEOUT = 20;

  private final Loop loop;
  private final SessionLoop.Routing routing;
  private final Set<SessionLoop> listeners = new LinkedHashSet<>();
  private final Set<SessionLoop> former = new LinkedHashSet<>(); // some clients may not have moved
  private @Nullable Future<?> ticks;
  private @Nullable Mirror mirrored; // null without copies

  UpstreamLoop(
      Loop loop, Topology topology, Dispatcher dispatcher, Hub hub, ServedUpstream upstream) {
    this.loop = loop;
    var router =
        new Router(topology.current().partitioner(), dispatcher.nodes().readNodes() != null);
    this.routing =
        new SessionLoop.Routing(
            router, dispatcher, hub, topology, upstream, new ShadowLink(), new MirrorLink());
  }

  /**
   * Connects to the masters and starts to tick.
   *
   * @param hub the tick of the subscriptions
   */
  void start(LongConsumer hub, long commandTimeoutNanos) {
    dispatcher().adoptPlacement();
    dispatcher().connect();
    long period =
        Math.clamp(
            commandTimeoutNanos / TICKS_PER_TIMEOUT, SHORTEST_TICK_NANOS, LONGEST_TICK_NANOS);
    var tasks = new Ticks(loop::tick, List.of(dispatcher()::tick, hub, this::tickListeners));
    ticks = loop.executor().scheduleAtFixedRate(tasks, period, period, TimeUnit.NANOSECONDS);
  }

  private void tickListeners(long now) {
    for (SessionLoop listener : List.copyOf(listeners)) { // a change may come within a tick
      listener.sampleRates(now);
      listener.tick(now);
    }
  }

  private Dispatcher dispatcher() {
    return routing.dispatcher();
  }

  /** How the sessions' requests reach nodes. */
  SessionLoop.Routing routing() {
    return routing;
  }

  /** Adds a listener's clients on this loop. */
  void add(SessionLoop listener) {
    listeners.add(listener);
    former.remove(listener);
  }

  /** The listener's new clients on this loop use another upstream. */
  void leave(SessionLoop listener) {
    listeners.remove(listener);
    former.add(listener);
  }

  /** Forgets a listener all of whose clients on this loop have left. */
  void remove(SessionLoop listener) {
    listeners.remove(listener);
    former.remove(listener);
  }

  /** Returns whether clients, present or future, use its connections. */
  boolean isUsed() {
    former.removeIf(listener -> !listener.uses(routing));
    listeners.removeIf(listener -> !listener.uses(routing));
    return !former.isEmpty() || !listeners.isEmpty();
  }

  /** Has the clients that have not moved to the new upstream move now, or closes them. */
  void drainLaggards() {
    former.forEach(listener -> listener.drainLaggards(routing));
  }

  /** Applies the latest topology. */
  void topologyChanged() {
    dispatcher().adoptPlacement();
  }

  /** Applies new facts about the servers. */
  void serverFactsChanged(ServerFacts servers) {
    listeners.forEach(each -> each.adopt(servers));
  }

  /** Authenticates again on connections where that is possible: the password has changed. */
  void authenticateAgain() {
    dispatcher().authenticateAgain();
  }

  /** Has a share of the reads go to another upstream too, or none if {@code ends} is null. */
  void shadow(ShadowLink.@Nullable Ends ends, @Nullable ShadowSettings settings) {
    if (ends == null || settings == null) {
      routing.shadow().disconnect();
    } else {
      routing.shadow().connect(ends, settings);
    }
  }

  /** Has the writes go to copies, too. Before the first client's request. */
  void mirror(Mirror mirror, long commandTimeoutNanos) {
    routing.mirror().connect(mirror.connect(loop, side(commandTimeoutNanos)));
    mirrored = mirror;
  }

  /** Returns it as the side of Penstock's own requests. */
  Side side(long commandTimeoutNanos) {
    return new Side(dispatcher(), routing.topology(), commandTimeoutNanos);
  }

  ShadowStats shadowStats() {
    return routing.shadow().stats();
  }

  /** Closes all connections for commands at once. */
  void close() {
    routing.shadow().disconnect();
    LoopMirror connected = routing.mirror().mirror();
    if (connected != null && mirrored != null) {
      mirrored.disconnect(connected);
    }
    if (ticks != null) {
      ticks.cancel(false);
    }
    dispatcher().close();
  }

  HeldStats held() {
    return dispatcher().nodes().heldRequests().stats();
  }

  ReadCounts reads() {
    return dispatcher().nodes().readCounts();
  }

  /** Returns the statistics of open connections for commands, by node. */
  List<NodeStats> nodeStats() {
    return dispatcher().nodes().stats();
  }

  /** Returns the statistics of closed connections for commands, by node. */
  List<NodeStats> closedNodeStats() {
    return dispatcher().nodes().closedStats();
  }
}
