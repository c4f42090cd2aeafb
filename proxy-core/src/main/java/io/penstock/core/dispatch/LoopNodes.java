package io.penstock.core.dispatch;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.backend.PushSinks;
import io.penstock.core.node.BackendNode;
import io.penstock.core.observe.ClosedConnections;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that one loop has connections to, and the placement that maps partitions to them. Used
 * by both dispatchers. Confined to that loop.
 */
class LoopNodes implements BackendListener, NodeView {

  private static final Logger log = LoggerFactory.getLogger(LoopNodes.class);

  /** From this many consecutive failed attempts on, the topology is refreshed. */
  private static final int ATTEMPTS_BEFORE_REFRESH = 1;

  /** Distributes evenly which waiting client is resumed first. */
  private static final int SPREAD = 0x9E37_79B9;

  private final Topology topology;
  private final ProxyEvents events;
  private final HeldRequests heldRequests;
  private final BackendContext backend;
  private final Map<Endpoint, BackendNode> nodes = new LinkedHashMap<>();
  private final ClosedConnections closedNodes = new ClosedConnections();
  private Placement adopted;
  private BackendNode[] byShard;
  private List<Runnable> whenWritable = new ArrayList<>();
  private int resumeOffset;
  private boolean closed;

  LoopNodes(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    this.topology = topology;
    this.events = events;
    this.heldRequests = new HeldRequests(settings.maxHeld(), settings.upstream());
    this.backend =
        new BackendContext(group, loop, settings, this, PushSinks.NONE, heldRequests, topology);
    this.adopted = topology.current();
    this.byShard = resolve(adopted);
  }

  /** Creates the nodes of a loop: with replicas if the settings have clients read from them. */
  static LoopNodes create(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    return settings.reads().usesReplicas()
        ? new ReplicaNodes(group, loop, settings, topology, events)
        : new LoopNodes(group, loop, settings, topology, events);
  }

  @Override
  public @Nullable ReadNodes readNodes() {
    return null;
  }

  @Override
  public ReadCounts readCounts() {
    return ReadCounts.NONE;
  }

  @Override
  public HeldRequests heldRequests() {
    return heldRequests;
  }

  /**
   * Prepares an exchange that waited for another node to be sent. Fails it and returns false if its
   * client has disconnected.
   */
  boolean prepareReroute(PlacedExchange exchange) {
    if (!exchange.isWanted()) {
      exchange.fail(Failure.NOT_SENT);
      return false;
    }
    exchange.extendDeadline(backend.loop().tick(), backend.settings().commandTimeout().toNanos());
    return true;
  }

  @Override
  public Placement placement() {
    return adopted;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Uses the latest placement from now on.
   *
   * @return whether it has changed
   */
  boolean adoptLatest() {
    Placement latest = topology.current();
    if (latest == adopted || closed) {
      return false;
    }
    Placement before = adopted;
    BackendNode[] resolved = resolve(latest);
    adopted = latest; // must change together with the array that has its indexes
    byShard = resolved;
    for (BackendNode node : List.copyOf(nodes.values())) { // failed exchanges may need another
      if (latest.indexOfMaster(node.node()) < 0) {
        if (before.indexOfMaster(node.node()) >= 0) {
          node.markReplaced();
        }
        node.retire();
      }
    }
    return true;
  }

  private BackendNode[] resolve(Placement placement) {
    BackendNode[] masters = new BackendNode[placement.shards().size()];
    for (int i = 0; i < masters.length; i++) {
      masters[i] = nodeAt(placement.shards().get(i).master());
      masters[i].reinstate();
    }
    return masters;
  }

  /** The node for each of the placement's shards, in the order of the shards. */
  BackendNode[] masters() {
    return byShard;
  }

  /**
   * Returns the node for the exchange. If no node serves its destination, fails the exchange,
   * requests a refresh and returns null.
   */
  @Nullable BackendNode nodeFor(PlacedExchange exchange) {
    int shard =
        switch (exchange.destination()) {
          case PARTITION -> adopted.ownerOf(exchange.partition());
          case ANY_NODE -> anyShard(exchange);
          case SHARD -> exchange.shardIn(adopted);
        };
    if (shard >= 0) {
      return byShard[shard];
    }
    topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    exchange.onFailure(Failure.NO_OWNER);
    return null;
  }

  /** Returns the node that serves a partition; null if there is none. */
  @Nullable BackendNode nodeFor(int partition) {
    int shard = adopted.ownerOf(partition);
    return shard < 0 ? null : byShard[shard];
  }

  /** Returns the client's preferred shard, or the first after it with a ready connection. */
  private int anyShard(PlacedExchange exchange) {
    if (byShard.length == 0) {
      return Placement.UNCOVERED;
    }
    int preferred = Math.floorMod(exchange.affinity(), byShard.length);
    for (int i = 0; i < byShard.length; i++) {
      int shard = (preferred + i) % byShard.length;
      if (byShard[shard].isReady()) {
        return shard;
      }
    }
    return preferred;
  }

  /** Returns the node at an address; adds it if it is not known. */
  BackendNode nodeAt(Endpoint address) {
    BackendNode known = nodes.get(address);
    if (known == null) {
      known = new BackendNode(address, backend);
      nodes.put(address, known);
    }
    return known;
  }

  /** Returns the node at an address; null if it is not known. */
  @Nullable BackendNode knownNode(Endpoint address) {
    return nodes.get(address);
  }

  @Override
  public boolean mayBeBusy(Endpoint address, Protocol protocol, int client, long time) {
    BackendNode node = nodes.get(address);
    return node != null && node.mayBeBusy(protocol, client, time);
  }

  /** See {@link Sender#sendPastScripts}. */
  void sendPastScripts(Endpoint address, Exchange exchange) {
    if (closed) {
      exchange.onFailure(Failure.NOT_SENT);
    } else {
      nodeAt(address).sendPastScripts(exchange);
    }
  }

  Collection<BackendNode> all() {
    return nodes.values();
  }

  @Override
  public @Nullable HandshakeError handshakeError(@Nullable Endpoint address) {
    for (BackendNode node : nodes.values()) {
      HandshakeError error =
          address == null || address.equals(node.node()) ? node.handshakeError() : null;
      if (error != null) {
        return error;
      }
    }
    return null;
  }

  void whenWritable(Runnable action) {
    whenWritable.add(action);
  }

  @Override
  public void onWritable() {
    if (!whenWritable.isEmpty()) {
      List<Runnable> actions = whenWritable;
      whenWritable = new ArrayList<>();
      resumeOffset += SPREAD;
      int first = Integer.remainderUnsigned(resumeOffset, actions.size());
      for (int i = 0; i < actions.size(); i++) { // the first may fill the node again
        try {
          actions.get((first + i) % actions.size()).run();
        } catch (Throwable e) { // the others wait, too
          log.error("A client waiting for a node could not be resumed", e);
        }
      }
    }
  }

  @Override
  public void onConnected(Endpoint node) {
    events.backendConnected(node);
  }

  @Override
  public void onDisconnected(Endpoint node, int attempts, Throwable cause) {
    events.backendDisconnected(node, cause);
    topology.failed(node, this, received(node), false);
    if (attempts >= ATTEMPTS_BEFORE_REFRESH) {
      topology.requestRefresh(RefreshTrigger.RECONNECT);
    }
    onWritable(); // clients that waited for this connection must not wait any more
  }

  @Override
  public void onNoReply(Endpoint node) {
    events.backendSilent(node);
    topology.failed(node, this, received(node), true);
    topology.requestRefresh(RefreshTrigger.NO_REPLY);
  }

  private long received(Endpoint node) {
    BackendNode known = nodes.get(node);
    return known == null ? 0 : known.stats().bytesReceived();
  }

  /** Returns whether the placement has another node for an exchange that waits for this one. */
  final boolean isMisplaced(Exchange exchange, Endpoint node) {
    return exchange instanceof PlacedExchange placed && isMisplaced(placed, node);
  }

  /** See {@link #isMisplaced(Exchange, Endpoint)}. */
  boolean isMisplaced(PlacedExchange exchange, Endpoint node) {
    return switch (exchange.destination()) {
      case ANY_NODE -> adopted.indexOfMaster(node) < 0;
      case PARTITION, SHARD -> {
        int owner = exchange.shardIn(adopted);
        yield owner >= 0 && !byShard[owner].node().equals(node);
      }
    };
  }

  void tick(long now) {
    if (heldRequests.size() > 0) {
      topology.requestRefresh(RefreshTrigger.HELD);
    }
    heldRequests.tick(now, events);
    for (BackendNode node : List.copyOf(nodes.values())) { // a callback may add nodes
      try {
        if (node.tick(now)) {
          nodes.remove(node.node());
          node.close();
          closedNodes.add(node.stats());
        }
      } catch (Throwable e) { // the other nodes need their tick, too
        log.error("A node's tick failed; it runs again with the next tick", e);
      }
    }
  }

  void authenticateAgain() {
    nodes.values().forEach(BackendNode::authenticateAgain);
  }

  @Override
  public List<NodeStats> stats() {
    return nodes.values().stream().map(BackendNode::stats).toList();
  }

  @Override
  public List<NodeStats> closedStats() {
    return closedNodes.stats();
  }

  void close() {
    closed = true;
    for (BackendNode node : nodes.values()) {
      node.close();
      closedNodes.add(node.stats());
    }
    nodes.clear();
  }
}
