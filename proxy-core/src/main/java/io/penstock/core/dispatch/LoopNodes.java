package io.penstock.core.dispatch;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendNode;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.ClosedConnections;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.backend.PushSink;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
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
 * The nodes that one loop has connections to, and the placement that says which of them serves
 * what. Both dispatchers are built on it. Confined to that loop.
 */
final class LoopNodes implements BackendListener {

  private static final Logger log = LoggerFactory.getLogger(LoopNodes.class);

  /** From this many failed attempts in a row on, the topology is looked at again. */
  private static final int ATTEMPTS_BEFORE_REFRESH = 1;

  /** Has everybody who waits come first equally often. */
  private static final int SPREAD = 0x9E37_79B9;

  private final Topology topology;
  private final ProxyEvents events;
  private final HeldRequests heldRequests;
  private final BackendContext site;
  private final Map<Endpoint, BackendNode> nodes = new LinkedHashMap<>();
  private final ClosedConnections gone = new ClosedConnections();
  private Placement adopted;
  private BackendNode[] byShard;
  private List<Runnable> whenWritable = new ArrayList<>();
  private int turn;
  private boolean closed;

  LoopNodes(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    this.topology = topology;
    this.events = events;
    this.heldRequests = new HeldRequests(settings.maxHeld());
    this.site = new BackendContext(group, loop, settings, this, PushSink.NONE, heldRequests);
    this.adopted = topology.current();
    this.byShard = resolve(adopted);
  }

  HeldRequests heldRequests() {
    return heldRequests;
  }

  /** Whether what waited for another node is still to be sent; if not, it has failed. */
  boolean prepareReroute(Exchange exchange) {
    if (!exchange.isClientConnected()) {
      exchange.fail(Failure.NOT_SENT);
      return false;
    }
    exchange.extendDeadline(site.loop().tick(), site.settings().commandTimeout().toNanos());
    return true;
  }

  Placement adopted() {
    return adopted;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Goes by the newest placement from here on.
   *
   * @return whether it is another one than before
   */
  boolean adoptLatest() {
    Placement map = topology.current();
    if (map == adopted || closed) {
      return false;
    }
    Placement before = adopted;
    BackendNode[] resolved = resolve(map);
    adopted = map; // together with the array that its indexes are for
    byShard = resolved;
    for (BackendNode node : nodes.values()) {
      if (map.indexOfMaster(node.node()) < 0) {
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
      masters[i] = nodeAt(topology.readPolicy().choose(placement.shards().get(i), false, 0));
      masters[i].reinstate();
    }
    return masters;
  }

  /** The nodes that the placement's shards are asked at, in the order of the shards. */
  BackendNode[] masters() {
    return byShard;
  }

  /** Whom the exchange is for; null when nobody serves it at present, and then it has failed. */
  @Nullable BackendNode nodeFor(Exchange exchange) {
    int shard =
        switch (exchange.destination()) {
          case PARTITION -> adopted.ownerOf(exchange.partition());
          case ANY_NODE -> anyShard(exchange);
          case SHARD -> Dispatcher.shardOf(exchange, adopted);
          case ENDPOINT -> throw new IllegalArgumentException("an exchange for one node alone");
        };
    if (shard >= 0) {
      return byShard[shard];
    }
    topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    exchange.onFailure(Failure.NO_OWNER);
    return null;
  }

  /** The node that serves a partition; null if there is none. */
  @Nullable BackendNode nodeFor(int partition) {
    int shard = adopted.ownerOf(partition);
    return shard < 0 ? null : byShard[shard];
  }

  /**
   * Of all shards the one that this client always asks, or the first after it with a connection.
   */
  private int anyShard(Exchange exchange) {
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

  /** The node at an address, known before or not. */
  BackendNode nodeAt(Endpoint address) {
    BackendNode known = nodes.get(address);
    if (known == null) {
      known = new BackendNode(address, site);
      nodes.put(address, known);
    }
    return known;
  }

  /** The node at an address if there is one. */
  @Nullable BackendNode knownNode(Endpoint address) {
    return nodes.get(address);
  }

  Collection<BackendNode> all() {
    return nodes.values();
  }

  /**
   * By what a node does not let Penstock in.
   *
   * @param address null for any node
   */
  @Nullable HandshakeError handshakeError(@Nullable Endpoint address) {
    for (BackendNode node : nodes.values()) {
      HandshakeError refusal =
          address == null || address.equals(node.node()) ? node.handshakeError() : null;
      if (refusal != null) {
        return refusal;
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
      turn += SPREAD;
      int first = Integer.remainderUnsigned(turn, actions.size());
      for (int i = 0; i < actions.size(); i++) { // who comes late finds the node busy again
        try {
          actions.get((first + i) % actions.size()).run();
        } catch (Throwable e) { // the others wait as well
          log.error("a client that waited could not go on", e);
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
    if (attempts >= ATTEMPTS_BEFORE_REFRESH) {
      topology.requestRefresh(RefreshTrigger.RECONNECT);
    }
    onWritable(); // what waited for this connection to drain waits in vain
  }

  @Override
  public void onNoReply(Endpoint node) {
    topology.requestRefresh(RefreshTrigger.NO_REPLY);
  }

  /** Whether the map names another node for what waits to be sent to this one. */
  boolean isMisplaced(Exchange exchange, Endpoint node) {
    return switch (exchange.destination()) {
      case ENDPOINT -> false;
      case ANY_NODE -> adopted.indexOfMaster(node) < 0;
      case PARTITION, SHARD -> {
        int owner = Dispatcher.shardOf(exchange, adopted);
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
          gone.add(node.stats());
        }
      } catch (Throwable e) { // the others' deadlines pass as well
        log.error("a node's tick failed; it will tick again", e);
      }
    }
  }

  List<NodeStats> stats() {
    return nodes.values().stream().map(BackendNode::stats).toList();
  }

  List<NodeStats> closedStats() {
    return gone.stats();
  }

  void close() {
    closed = true;
    nodes.values().forEach(BackendNode::close);
    nodes.clear();
  }
}
