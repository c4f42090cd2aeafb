package io.penstock.core.backend;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * What was counted at nodes that one loop has closed its connections to: counters only grow, and
 * there may be other connections to the same node, on this loop or on another. Confined to that
 * loop.
 */
public final class ClosedConnections {

  /** Nodes remembered, those closed last: where addresses come and go there would be ever more. */
  private static final int MOST_NODES = 1_000;

  private final SequencedMap<Endpoint, NodeStats> totals = new LinkedHashMap<>();

  /**
   * Connections were closed for good: nothing is open, or under way, on them any more.
   *
   * @param last what they counted, taken after they were closed
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
            last.errors());
    NodeStats before = totals.remove(last.node());
    totals.put(last.node(), before == null ? counted : before.plus(counted));
    if (totals.size() > MOST_NODES) {
      totals.pollFirstEntry();
    }
  }

  /** One entry per node. */
  public List<NodeStats> stats() {
    return List.copyOf(totals.values());
  }
}
