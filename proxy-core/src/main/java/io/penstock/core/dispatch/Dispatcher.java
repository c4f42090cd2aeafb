package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.backend.Lease;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends exchanges to nodes. There is one per event loop, used on that loop only. */
public sealed interface Dispatcher permits AsyncDispatcher, SyncDispatcher {

  /**
   * Sends the exchange to the node that serves its destination according to {@link #placement()}. A
   * failure callback may come before this returns.
   *
   * @return false if that node does not keep up with this client: the caller should pause until
   *     {@link #whenWritable}
   */
  boolean dispatch(Exchange exchange);

  /**
   * Sends the exchange to this node, regardless of the placement: a redirect named it, or the
   * exchange is for this node only.
   *
   * @param asking whether to send {@code ASKING} first
   */
  void dispatchTo(Endpoint node, Exchange exchange, boolean asking);

  /**
   * Leases a connection to the node for one client; it is connected or connecting.
   *
   * @param first the first exchange to send on it
   * @return null if the limit is reached
   */
  @Nullable Lease lease(Endpoint node, Exchange first);

  /**
   * Returns whether more of the client's requests may be dispatched now.
   *
   * @param node that the last one was sent to; null for any
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   */
  boolean isWritable(@Nullable Endpoint node, int client);

  /**
   * Returns whether a request with a large expected reply may be dispatched now. It may not while
   * too many bytes of such replies are pending on the shared connection.
   *
   * @param partition of the request, or less than 0
   * @param protocol of the client
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   * @param connectionSet {@linkplain Exchange#connectionSet() connections} that they use
   */
  boolean hasRoomForLargeReply(int partition, Protocol protocol, int client, int connectionSet);

  /**
   * Runs {@code action} once, on this loop, when {@link #isWritable} or {@link
   * #hasRoomForLargeReply} may have changed to true.
   *
   * @param client {@linkplain Exchange#affinity() affinity} of the client's exchanges
   */
  void whenWritable(int client, Runnable action);

  /** Connects to the masters before the first request. Called once, at startup. */
  void connect();

  /** The placement that {@link #dispatch} uses. */
  Placement placement();

  /**
   * Uses the latest placement from now on. Called on each loop with each change of the placement.
   * Exchanges that wait for a node that no longer serves their partition are dispatched again in a
   * separate task, so that the caller does not get callbacks.
   */
  void adoptPlacement();

  /**
   * Adopts a placement that this loop has missed, and expires exchanges past their deadline. Called
   * several times per command timeout.
   */
  void tick(long now);

  /** The password of nodes has changed: authenticates again, or on new connections. */
  void authenticateAgain();

  /**
   * Returns whether the node may be busy with a script: it can be reached, and it has not answered
   * since {@code time}, or with an error that says so.
   *
   * @param protocol of the client
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   * @param time {@link System#nanoTime()}
   */
  boolean mayBeBusy(Endpoint node, Protocol protocol, int client, long time);

  /** Sends the exchange to this node so that no script of any client delays it. */
  void sendPastScripts(Endpoint node, Exchange exchange);

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

  /** Closes all connections at once. */
  void close();

  /**
   * Returns the index in {@code placement} of the shard that serves the exchange, or {@link
   * Placement#UNCOVERED}. The destination must be a partition or a shard.
   */
  static int shardOf(Exchange exchange, Placement placement) {
    if (exchange.destination() == Exchange.Destination.SHARD) {
      int index = placement.indexOfMaster(exchange.shardMaster());
      if (index >= 0) {
        return index;
      }
    }
    return placement.ownerOf(exchange.partition());
  }
}
