package io.penstock.core.dispatch;

import io.netty.channel.EventLoop;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.node.BackendNode;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Topology;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pipelines the exchanges of all clients of a loop over the loop's shared connections, without a
 * lock or a queue to another thread.
 */
public final class AsyncDispatcher implements Dispatcher {

  private static final Logger log = LoggerFactory.getLogger(AsyncDispatcher.class);

  private final EventLoop executor;
  private final LoopNodes nodes;
  private final int connectionsPerNode;

  public AsyncDispatcher(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    this.executor = loop.executor();
    this.nodes = LoopNodes.create(group, loop, settings, topology, events);
    this.connectionsPerNode = settings.connectionsPerNode();
  }

  @Override
  public NodeView nodes() {
    return nodes;
  }

  @Override
  public boolean dispatch(PlacedExchange exchange) {
    BackendNode node = nodes.nodeFor(exchange);
    if (node == null) {
      return true;
    }
    return exchange.mustUseSeparateConnection()
        ? node.sendSeparately(exchange)
        : node.send(exchange, false);
  }

  @Override
  public void dispatchTo(Endpoint target, Exchange exchange, boolean asking) {
    if (nodes.isClosed()) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      nodes.nodeAt(target).send(exchange, asking);
    }
  }

  @Override
  public @Nullable Lease lease(Endpoint target, Exchange first) {
    return nodes.isClosed() ? null : nodes.nodeAt(target).lease(first);
  }

  @Override
  public boolean isWritable(@Nullable Endpoint address, int client) {
    BackendNode node = address == null ? null : nodes.knownNode(address);
    return node == null || node.isWritable();
  }

  @Override
  public boolean hasRoomForLargeReply(
      int partition, Protocol protocol, int client, ConnectionKey connections) {
    BackendNode node = nodes.nodeFor(partition);
    return node == null || node.hasRoomForLargeReply(protocol, client, connections);
  }

  @Override
  public void whenWritable(int client, Runnable action) {
    nodes.whenWritable(action);
  }

  @Override
  public void connect() {
    for (BackendNode node : nodes.masters()) {
      node.connect();
    }
  }

  @Override
  public void adoptPlacement() {
    if (nodes.adoptLatest()) {
      connect();
      executor.execute(this::reroute);
    }
  }

  /** Dispatches exchanges that wait for a node that no longer serves their partition. */
  private void reroute() {
    var misplaced = new ArrayDeque<Exchange>();
    for (BackendNode node : nodes.all()) {
      node.withdraw(exchange -> nodes.isMisplaced(exchange, node.node()), misplaced);
    }
    for (Exchange exchange : misplaced) {
      if (exchange instanceof PlacedExchange placed && nodes.prepareReroute(placed)) {
        reroute(placed);
      }
    }
    nodes.onWritable(); // paused clients may have another node now
  }

  private void reroute(PlacedExchange exchange) {
    try {
      nodes.heldRequests().reroute(exchange, () -> dispatch(exchange));
    } catch (Throwable e) { // the others must be sent, too
      if (!exchange.recoverFrom(e)) {
        log.error("An exchange that waited for another node could not be sent", e);
      }
    }
  }

  @Override
  public void tick(long now) {
    adoptPlacement(); // in case this loop missed a change
    nodes.tick(now);
  }

  @Override
  public void authenticateAgain() {
    nodes.authenticateAgain();
  }

  @Override
  public void sendPastScripts(Endpoint node, Exchange exchange) {
    nodes.sendPastScripts(node, exchange);
  }

  @Override
  public void close() {
    nodes.close();
  }

  @Override
  public int sharedConnectionOf(int client) {
    return Math.floorMod(client, connectionsPerNode);
  }
}
