package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.node.Lease;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** Sends exchanges to nodes. Used on one loop only. */
public interface Sender {

  /** Stands for a connection that no other client uses at the same time. */
  int OWN_CONNECTION = -1;

  /**
   * Sends the exchange to the node that serves its destination according to {@link
   * NodeView#placement()}. A failure callback may come before this returns.
   *
   * @return false if that node does not keep up with this client: the caller should pause until
   *     {@link Capacity#whenWritable}
   */
  boolean dispatch(PlacedExchange exchange);

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

  /** Sends the exchange to this node so that no script of any client delays it. */
  void sendPastScripts(Endpoint node, Exchange exchange);

  /**
   * Returns which of a node's shared connections a client's exchanges use: those of clients with
   * the same number, protocol and {@link io.penstock.core.backend.ConnectionKey} run in the order
   * in which they are sent.
   *
   * @param client {@linkplain Exchange#affinity() affinity} of its exchanges
   * @return {@link #OWN_CONNECTION} if it shares none with other clients
   */
  int sharedConnectionOf(int client);
}
