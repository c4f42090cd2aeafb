package io.penstock.core.dispatch;

import io.netty.channel.EventLoop;
import io.penstock.core.backend.BackendNode;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Hold;
import io.penstock.core.backend.Lease;
import io.penstock.core.backend.NodeRefusal;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Topology;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pipelines the exchanges of all of a loop's clients over that loop's own shared connections: no
 * lock, no queue to another thread.
 */
public final class AsyncDispatcher implements Dispatcher {

  private static final Logger log = LoggerFactory.getLogger(AsyncDispatcher.class);

  private final EventLoop executor;
  private final LoopNodes nodes;

  public AsyncDispatcher(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    this.executor = loop.executor();
    this.nodes = new LoopNodes(group, loop, settings, topology, events);
  }

  @Override
  public boolean dispatch(Exchange exchange) {
    BackendNode node = nodes.serving(exchange);
    if (node == null) {
      return true;
    }
    return exchange.isAside() ? node.sendAside(exchange) : node.send(exchange, false);
  }

  @Override
  public void dispatchTo(Endpoint target, Exchange exchange, boolean asking) {
    if (nodes.isClosed()) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      nodes.at(target).send(exchange, asking);
    }
  }

  @Override
  public @Nullable Lease lease(Endpoint target, Exchange first) {
    return nodes.isClosed() ? null : nodes.at(target).lease(first.protocol());
  }

  @Override
  public boolean keepsUp(@Nullable Endpoint address, int client) {
    BackendNode node = address == null ? null : nodes.known(address);
    return node == null || node.isWritable();
  }

  @Override
  public boolean hasRoom(int partition, Protocol protocol, int client) {
    BackendNode node = nodes.serving(partition);
    return node == null || node.hasRoom(protocol, client);
  }

  @Override
  public void whenWritable(int client, Runnable action) {
    nodes.whenWritable(action);
  }

  @Override
  public Placement placement() {
    return nodes.adopted();
  }

  @Override
  public void connect() {
    for (BackendNode node : nodes.masters()) {
      node.prepare();
    }
  }

  @Override
  public void adopt() {
    if (nodes.adoptNewest()) {
      connect();
      executor.execute(this::reroute);
    }
  }

  /** What waits for a node that no longer serves its partition goes where the partition went. */
  private void reroute() {
    var misplaced = new ArrayDeque<Exchange>();
    for (BackendNode node : nodes.all()) {
      node.withdraw(exchange -> nodes.isMisplaced(exchange, node.node()), misplaced);
    }
    for (Exchange exchange : misplaced) {
      if (nodes.isStillToBeSent(exchange)) {
        reroute(exchange);
      }
    }
    nodes.writableAgain(); // clients that paused for a node may have another now
  }

  private void reroute(Exchange exchange) {
    try {
      dispatch(exchange);
      nodes.hold().rerouted(exchange);
    } catch (Throwable e) { // the others are to be sent as well
      if (!exchange.absorbs(e)) {
        log.error("what waited for another node cannot be sent", e);
      }
    }
  }

  @Override
  public void tick(long now) {
    adopt(); // of whatever change this loop was not told
    nodes.tick(now);
  }

  @Override
  public @Nullable NodeRefusal refusal(@Nullable Endpoint node) {
    return nodes.refusal(node);
  }

  @Override
  public Hold hold() {
    return nodes.hold();
  }

  @Override
  public List<NodeStats> stats() {
    return nodes.stats();
  }

  @Override
  public List<NodeStats> closedStats() {
    return nodes.closedStats();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
