package io.penstock.core;

import io.penstock.core.command.ServerFacts;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One event loop's part of a service: its clients, its connections to nodes, and the tick that
 * checks deadlines.
 */
final class ServiceLoop {

  private static final long LONGEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SHORTEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Ticks per command timeout: a deadline fires late by at most this fraction of the timeout. */
  private static final int TICKS_PER_TIMEOUT = 20;

  private final Loop loop;
  private final SessionLoop sessions;
  private final Dispatcher dispatcher;
  private final long tickNanos;
  private final Ticks ticks;
  private long expectedTick;

  ServiceLoop(Loop loop, SessionLoop sessions, Dispatcher dispatcher, long commandTimeoutNanos) {
    this.loop = loop;
    this.sessions = sessions;
    this.dispatcher = dispatcher;
    this.tickNanos =
        Math.clamp(
            commandTimeoutNanos / TICKS_PER_TIMEOUT, SHORTEST_TICK_NANOS, LONGEST_TICK_NANOS);
    this.ticks =
        new Ticks(
            loop::tick,
            List.of(this::measure, dispatcher::tick, sessions.hub()::tick, sessions::tick));
  }

  SessionLoop sessions() {
    return sessions;
  }

  Loop loop() {
    return loop;
  }

  /** Starts to tick. Any thread. */
  void start() {
    loop.executor()
        .execute(() -> {
          dispatcher.adoptPlacement();
          dispatcher.connect();
          expectedTick = System.nanoTime() + tickNanos;
          loop.executor().scheduleAtFixedRate(ticks, tickNanos, tickNanos, TimeUnit.NANOSECONDS);
        });
  }

  private void measure(long now) {
    sessions.counters().recordLag(Math.max(0, now - expectedTick));
    expectedTick = now + tickNanos;
    sessions.sampleRates(now);
  }

  /** Applies the latest topology. Any thread. */
  void topologyChanged() {
    loop.executor()
        .execute(() -> {
          dispatcher.adoptPlacement();
          sessions.hub().adoptTopology();
        });
  }

  /** Applies new facts about the servers. Any thread. */
  void serverFactsChanged(ServerFacts servers) {
    loop.executor().execute(() -> sessions.adopt(servers));
  }

  /** Closes each client after the replies to its requests in flight. On the loop. */
  void drainClients() {
    sessions.drain();
  }

  /** Closes everything at once. On the loop. */
  void close() {
    for (Session session : List.copyOf(sessions.sessions())) {
      session.closeNow("the proxy ends");
    }
    dispatcher.close();
    sessions.hub().close();
  }

  /** Returns the statistics of open connections, by node. On the loop. */
  List<NodeStats> nodeStats() {
    List<NodeStats> all = new ArrayList<>(dispatcher.stats());
    all.addAll(sessions.hub().stats());
    return all;
  }

  /** Returns the statistics of closed connections, by node. On the loop. */
  List<NodeStats> closedNodeStats() {
    List<NodeStats> all = new ArrayList<>(dispatcher.closedStats());
    all.addAll(sessions.hub().closedStats());
    return all;
  }
}
