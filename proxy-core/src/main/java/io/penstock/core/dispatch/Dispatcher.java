package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.backend.Lease;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends exchanges to nodes. One per event loop, used on that loop only. */
public sealed interface Dispatcher permits AsyncDispatcher, SyncDispatcher {

  /**
   * Sends the exchange to the node that serves its partition by the placement adopted last. A
   * failure may be called back before this returns.
   *
   * @return false when that node does not keep up with this client: the caller should pause until
   *     {@link #whenWritable}
   */
  boolean dispatch(Exchange exchange);

  /**
   * Sends the exchange to this node, whatever the placement says: a redirect named it, or it alone
   * is meant.
   *
   * @param asking whether {@code ASKING} goes first
   */
  void dispatchTo(Endpoint node, Exchange exchange, boolean asking);

  /**
   * A connection to the node for one client, connected or about to be.
   *
   * @param first what is to be sent on it first
   * @return null when there are too many
   */
  @Nullable Lease lease(Endpoint node, Exchange first);

  /**
   * Whether more of the client's requests may be dispatched now.
   *
   * @param node that the last one went to; null for none in particular
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   */
  boolean isWritable(@Nullable Endpoint node, int client);

  /**
   * Whether a request whose reply is expected to be large may be dispatched now: not while many
   * bytes of such replies are to come by the connection that others share.
   *
   * @param partition that it is for, or less than 0
   * @param protocol that the client speaks
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   */
  boolean hasRoomForLargeReply(int partition, Protocol protocol, int client);

  /**
   * Runs {@code action} once, on this loop, when {@link #isWritable} or {@link
   * #hasRoomForLargeReply} may have another answer.
   *
   * @param client the same
   */
  void whenWritable(int client, Runnable action);

  /** Connects to the masters, before the first command comes; called once, at the start. */
  void connect();

  /** The placement that {@link #dispatch} goes by. */
  Placement placement();

  /**
   * Goes by the newest placement from here on. It is pushed to the loop with each change; what
   * waited for a node that serves its partition no longer is sent on in a task of its own, so that
   * the caller is not interrupted.
   */
  void adoptPlacement();

  /**
   * Adopts a placement that this loop was not told of, and ends what is past its deadline; called
   * several times per command timeout.
   */
  void tick(long now);

  /**
   * By what a node does not let Penstock in, if that was so when it was last tried.
   *
   * @param node null for any
   */
  @Nullable HandshakeError handshakeError(@Nullable Endpoint node);

  /** What waits until it can be sent. */
  HeldRequests heldRequests();

  /** One entry per node with connections. */
  List<NodeStats> stats();

  /** What nodes had counted that have no connections any more, here at least. */
  List<NodeStats> closedStats();

  /** Closes all connections at once. */
  void close();

  /**
   * Index in {@code placement} of the shard that serves the exchange, or {@link
   * Placement#UNCOVERED}; only for a partition or a shard.
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
