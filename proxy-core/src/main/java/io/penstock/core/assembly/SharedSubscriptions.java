package io.penstock.core.assembly;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * The subscriptions of an upstream's clients: one hub for each event loop and lane. The upstreams
 * that replace each other while the servers stay the same share them, so that a change of the
 * settings ends no subscription and loses no message. The hubs follow the topology and the settings
 * of one of them, the leader, and are closed with the last. Safe from any thread.
 */
final class SharedSubscriptions {

  private final LoopGroup group;
  private final ProxyEvents events;
  private final List<SubscriberCounts> counts; // by lane; one of all lanes may be there often
  private final LoopParts<Hub> hubs;
  private final List<RespUpstream> sharers = new CopyOnWriteArrayList<>(); // oldest first
  private volatile RespUpstream leader;

  /**
   * @param first the first to share them, which leads
   * @param counts by lane; the same where the lanes have the same messages
   */
  SharedSubscriptions(
      LoopGroup group, ProxyEvents events, RespUpstream first, List<SubscriberCounts> counts) {
    this.group = group;
    this.events = events;
    this.counts = List.copyOf(counts);
    this.hubs = new LoopParts<>(group, counts.size());
    this.leader = first;
  }

  /** Adds an upstream, until it calls {@link #leave}. */
  void join(RespUpstream upstream) {
    sharers.add(upstream);
  }

  /**
   * Removes an upstream. If it led, the latest other one leads. Completes when the hubs are closed,
   * if it was the last.
   */
  CompletableFuture<Void> leave(RespUpstream upstream) {
    sharers.remove(upstream);
    if (sharers.isEmpty()) {
      return hubs.run(Hub::close);
    }
    if (isLedBy(upstream)) {
      lead(sharers.getLast());
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Returns those that share them, oldest first. */
  List<RespUpstream> sharers() {
    return sharers;
  }

  boolean isLedBy(RespUpstream upstream) {
    return leader.equals(upstream);
  }

  /**
   * Has the hubs follow an upstream. Completes when they are subscribed at its servers, or after
   * about a second; on any thread.
   */
  CompletableFuture<Void> lead(RespUpstream upstream) {
    leader = upstream;
    Queue<CompletableFuture<Void>> moves = new ConcurrentLinkedQueue<>();
    return hubs.visit(
            (hub, _, lane) -> {
              follow(hub, lane);
              moves.add(hub.moves());
            })
        .thenCompose(_ -> CompletableFuture.allOf(moves.toArray(CompletableFuture[]::new)));
  }

  private void follow(Hub hub, int lane) {
    RespUpstream latest = leader;
    hub.adopt(latest.nodes(lane), latest.backend());
  }

  /** Returns the hub of a loop and lane; makes it if there is none. On that loop. */
  Hub hub(Loop loop, int lane) {
    return hubs.of(loop, lane, this::makeHub);
  }

  private Hub makeHub(Loop loop, int lane) {
    RespUpstream latest = leader;
    return new Hub(group, loop, latest.backend(), latest.nodes(lane), events, counts.get(lane));
  }

  /**
   * Called several times per command timeout by each upstream that has connections on the loop, on
   * that loop.
   */
  void tick(Hub hub, int lane, long now) {
    follow(hub, lane); // it may have been made after lead() by one that saw the former leader
    hub.tick(now);
  }

  /** The topology of an upstream has changed. */
  void topologyChanged(RespUpstream upstream) {
    if (isLedBy(upstream)) {
      hubs.forEach(Hub::adoptTopology);
    }
  }

  /** The password of the nodes has changed. */
  void authenticateAgain() {
    hubs.forEach(Hub::authenticateAgain);
  }

  Set<SubscriberCounts> counts() {
    return Set.copyOf(counts);
  }

  /** Returns a value of each hub, read on its loop. Completes on one of the loops. */
  <T> CompletableFuture<List<T>> collect(Function<Hub, T> read) {
    return hubs.collect(read);
  }
}
