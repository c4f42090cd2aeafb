package io.penstock.core.dispatch;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Exchange;
import io.penstock.core.node.BackendNode;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.output.EndOfTurnQueue;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Topology;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a virtual thread for each client, which takes turns on leased connections: no client waits
 * behind another's command. Channels and exchanges stay confined to the loop.
 */
public final class SyncDispatcher implements Dispatcher, ClientThread.LoopSide {

  private static final Logger log = LoggerFactory.getLogger(SyncDispatcher.class);

  private final Loop loop;
  private final LoopNodes nodes;
  private final int connections;
  private final String logPrefix;
  private final IntObjectMap<ClientThread> clients = new IntObjectHashMap<>();
  private final Map<Endpoint, Semaphore> permits = new HashMap<>();
  private final EndOfTurnQueue<ClientThread> due; // to hand over their batch
  private final ThrottledLog rejectedLog = new ThrottledLog();

  public SyncDispatcher(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    this.loop = loop;
    this.nodes = LoopNodes.create(group, loop, settings, topology, events);
    this.connections = settings.turnConnections();
    this.logPrefix = settings.upstream().prefix();
    this.due = new EndOfTurnQueue<>(loop.executor(), ClientThread::handOver);
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
    if (exchange.mustUseSeparateConnection()) {
      return node.sendSeparately(exchange);
    }
    queue(node.node(), exchange, QueuedExchange.Way.BY_PLACEMENT);
    return true;
  }

  @Override
  public void dispatchTo(Endpoint target, Exchange exchange, boolean asking) {
    queue(target, exchange, asking ? QueuedExchange.Way.ASKING : QueuedExchange.Way.PINNED);
  }

  private void queue(Endpoint target, Exchange exchange, QueuedExchange.Way way) {
    exchange.sentTo(target);
    int id = exchange.affinity();
    ClientThread client = clients.get(id);
    if (client == null) {
      client = new ClientThread(loop, this, id);
      clients.put(id, client);
    }
    Semaphore nodePermits = permits.computeIfAbsent(target, _ -> new Semaphore(connections, true));
    client.add(new QueuedExchange(exchange, way, target, nodePermits));
  }

  @Override
  public void scheduleHandOver(ClientThread client) {
    due.add(client);
  }

  @Override
  public void sendTurns(ClientThread client, List<Turn> turns) {
    for (Turn turn : turns) {
      if (!withdrawMisplaced(turn)) {
        turn.permits().release();
        client.onTurnEnd(turn);
        continue;
      }
      Lease lease = nodes.isClosed() ? null : turn.place().lease(nodes);
      if (lease == null) {
        turn.permits().release();
        client.reject(turn);
      } else {
        var held = new TurnLease(lease, client, turn);
        client.addLease(turn, held);
        held.send(turn);
      }
    }
  }

  @Override
  public boolean withdrawMisplaced(Turn turn) {
    return turn.withdraw(nodes);
  }

  @Override
  public void reject(ClientThread client, Turn turn) {
    rejectedLog.log(times ->
        log.warn(
            "{}All {} connections for turns to {} are in use: {} turns rejected since the last such"
                + " line",
            logPrefix,
            connections,
            turn.node(),
            times));
    client.reject(turn);
  }

  @Override
  public @Nullable Lease lease(Endpoint target, Exchange first) {
    return nodes.isClosed() ? null : nodes.nodeAt(target).lease(first);
  }

  @Override
  public boolean isWritable(@Nullable Endpoint node, int id) {
    ClientThread client = clients.get(id);
    return client == null || client.isFree();
  }

  /** No other client waits for the replies on a leased connection. */
  @Override
  public boolean hasRoomForLargeReply(
      int partition, Protocol protocol, int client, ConnectionKey connections) {
    return true;
  }

  @Override
  public void whenWritable(int id, Runnable action) {
    ClientThread client = clients.get(id);
    if (client == null) {
      loop.executor().execute(action);
    } else {
      client.whenFree(action);
    }
  }

  @Override
  public void connect() {
    // A connection is made when a client first sends something.
  }

  @Override
  public void adoptPlacement() {
    nodes.adoptLatest();
  }

  @Override
  public void tick(long now) {
    adoptPlacement(); // in case this loop missed a change
    nodes.tick(now);
    clients.values().removeIf(client -> client.tick(now));
    permits
        .entrySet()
        .removeIf(nodePermits ->
            nodes.knownNode(nodePermits.getKey()) == null
                && nodePermits.getValue().availablePermits() == connections);
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
    clients.values().forEach(ClientThread::close);
    clients.clear();
    due.clear();
    nodes.close();
  }

  @Override
  public int sharedConnectionOf(int client) {
    return OWN_CONNECTION;
  }
}
