package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one loop knows of its nodes, and its figures of them. Used on that loop only. */
public interface NodeView {

  /** The placement by which exchanges are sent. */
  Placement placement();

  /**
   * Returns whether the node may be busy with a script: it can be reached, and it has not answered
   * since {@code time}, or with an error that says so.
   *
   * @param protocol of the client
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   * @param time {@link System#nanoTime()}
   */
  boolean mayBeBusy(Endpoint node, Protocol protocol, int client, long time);

  /**
   * The error with which a node answered the latest handshake; null if none.
   *
   * @param node null for any
   */
  @Nullable HandshakeError handshakeError(@Nullable Endpoint node);

  /** The requests of this loop in a failover hold. */
  HeldRequests heldRequests();

  /** The nodes that reads may be sent to; null if reads go to masters only. */
  @Nullable ReadNodes readNodes();

  /** Counts of reads from replicas. */
  ReadCounts readCounts();

  /** One entry per node with connections. */
  List<NodeStats> stats();

  /** Counters of nodes that this loop has no connections to any more. */
  List<NodeStats> closedStats();
}
