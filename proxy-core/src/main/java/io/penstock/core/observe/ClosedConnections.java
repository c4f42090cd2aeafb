package io.penstock.core.observe;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Counters of the nodes that one loop has closed its connections to. They are kept because counters
 * must only grow, and there may be other connections to the same node, on this loop or on another.
 * Confined to that loop.
 */
public final class ClosedConnections {

  /** Only the nodes closed latest are kept, since addresses may change without end. */
  private static final int MAX_NODES = 1_000;

  private final SequencedMap<Endpoint, NodeStats> totals = new LinkedHashMap<>();

  /**
   * Adds the counters of a node whose connections are closed permanently.
   *
   * @param last the counters, read after the connections were closed
   */
  public void add(NodeStats last) {
    var counted =
        new NodeStats(
            last.node(),
            0,
            0,
            0,
            last.bytesSent(),
            last.bytesReceived(),
            last.reconnects(),
            last.errors(),
            last.errorReplies());
    NodeStats before = totals.remove(last.node());
    totals.put(last.node(), before == null ? counted : before.plus(counted));
    if (totals.size() > MAX_NODES) {
      totals.pollFirstEntry();
    }
  }

  /** One entry per node. */
  public List<NodeStats> stats() {
    return List.copyOf(totals.values());
  }
}
