package io.penstock.core.dispatch;

import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendNode;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.BackendSite;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.RefreshTrigger;
import io.penstock.core.cluster.Shard;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.Topology;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pipelines the exchanges of all of a loop's clients over that loop's own shared connections: no
 * lock, no queue to another thread.
 */
public final class AsyncDispatcher implements Dispatcher, BackendListener {

  /** From this many failed attempts in a row on, the topology is looked at again. */
  private static final int ATTEMPTS_BEFORE_REFRESH = 1;

  private final Topology topology;
  private final ProxyEvents events;
  private final BackendSite site;
  private final Map<Node, BackendNode> nodes = new LinkedHashMap<>();
  private SlotMap adopted = SlotMap.EMPTY;
  private BackendNode[] byShard = {};
  private List<Runnable> whenWritable = new ArrayList<>();
  private boolean closed;

  public AsyncDispatcher(
      LoopGroup group, Loop loop, BackendSettings settings, Topology topology, ProxyEvents events) {
    this.topology = topology;
    this.events = events;
    this.site = new BackendSite(group, loop, settings, this);
  }

  @Override
  public boolean dispatch(Exchange exchange) {
    int slot = exchange.slot();
    if (slot < 0) {
      return dispatchWithoutSlot(exchange);
    }
    int shard = adopted.ownerOf(slot);
    return shard < 0 ? refuse(exchange) : byShard[shard].send(exchange, false);
  }

  private boolean dispatchWithoutSlot(Exchange exchange) {
    boolean anywhere = exchange.slot() == Exchange.ANY_NODE;
    int shard = anywhere ? anyShard(exchange) : exchange.shardIn(adopted);
    if (shard < 0) {
      return refuse(exchange);
    }
    return exchange.isAside()
        ? byShard[shard].sendAside(exchange)
        : byShard[shard].send(exchange, false);
  }

  private boolean refuse(Exchange exchange) {
    topology.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    exchange.onFailure(Failure.NO_OWNER);
    return true;
  }

  @Override
  public void dispatchTo(Node target, Exchange exchange, boolean asking) {
    node(target).send(exchange, asking);
  }

  @Override
  public @Nullable Lease lease(Node target, Exchange first) {
    return closed ? null : node(target).lease(first.protocol());
  }

  /**
   * Of all shards the one that this client always asks, or the first after it with a connection.
   */
  private int anyShard(Exchange exchange) {
    if (byShard.length == 0) {
      return SlotMap.UNCOVERED;
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

  @Override
  public boolean keepsUp(Node address) {
    BackendNode node = nodes.get(address);
    return node == null || node.isWritable();
  }

  @Override
  public SlotMap adoptTopology() {
    SlotMap map = topology.current();
    if (map != adopted && !closed) {
      adopt(map);
    }
    return adopted;
  }

  private void adopt(SlotMap map) {
    BackendNode[] resolved = new BackendNode[map.shards().size()];
    for (int i = 0; i < resolved.length; i++) {
      Shard shard = map.shards().get(i);
      resolved[i] = node(shard.master());
      resolved[i].reinstate();
    }
    adopted = map; // together with the array that its indexes are for
    byShard = resolved;
    for (BackendNode node : resolved) {
      node.prepare();
    }
    for (BackendNode node : nodes.values()) {
      if (map.indexOfMaster(node.node()) < 0) {
        node.retire();
      }
    }
    reroute(map);
  }

  /** What waits for a node that no longer serves its slot goes where the slot went. */
  private void reroute(SlotMap map) {
    var misplaced = new ArrayDeque<Exchange>();
    for (BackendNode node : nodes.values()) {
      node.withdraw(exchange -> belongsElsewhere(map, exchange, node.node()), misplaced);
    }
    Exchange next = misplaced.poll();
    while (next != null) {
      dispatch(next);
      next = misplaced.poll();
    }
    writableAgain(); // clients that paused for a node may have another now
  }

  private static boolean belongsElsewhere(SlotMap map, Exchange exchange, Node node) {
    if (exchange.slot() == Exchange.ANY_NODE) {
      return map.indexOfMaster(node) < 0;
    }
    int owner = exchange.shardIn(map);
    return owner >= 0 && !map.shards().get(owner).master().equals(node);
  }

  private BackendNode node(Node address) {
    BackendNode known = nodes.get(address);
    if (known == null) {
      known = new BackendNode(address, site);
      nodes.put(address, known);
    }
    return known;
  }

  @Override
  public void whenWritable(Runnable action) {
    whenWritable.add(action);
  }

  @Override
  public void writableAgain() {
    List<Runnable> actions = whenWritable;
    whenWritable = new ArrayList<>();
    actions.forEach(Runnable::run);
  }

  @Override
  public void connected(Node node) {
    events.backendConnected(node);
  }

  @Override
  public void disconnected(Node node, int attempts, @Nullable Throwable cause) {
    events.backendDisconnected(node, cause);
    if (attempts >= ATTEMPTS_BEFORE_REFRESH) {
      topology.requestRefresh(RefreshTrigger.RECONNECT);
    }
    writableAgain(); // what waited for this connection to drain waits in vain
  }

  @Override
  public void tick(long now) {
    adoptTopology();
    for (BackendNode node : List.copyOf(nodes.values())) { // a callback may add nodes
      if (node.tick(now)) {
        nodes.remove(node.node());
        node.close();
      }
    }
  }

  @Override
  public List<NodeStats> stats() {
    return nodes.values().stream().map(BackendNode::stats).toList();
  }

  @Override
  public void close() {
    closed = true;
    nodes.values().forEach(BackendNode::close);
    nodes.clear();
  }
}
