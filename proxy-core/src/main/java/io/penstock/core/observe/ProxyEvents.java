package io.penstock.core.observe;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Rare events, for logs and counters of the embedding application. Called on event loops and the
 * topology thread: implementations must not block. All methods do nothing by default.
 */
public interface ProxyEvents {

  /** Ignores everything. */
  ProxyEvents NONE = new ProxyEvents() {};

  /**
   * Returns what receives the events of an upstream. Called once for each, before its first event.
   */
  default ProxyEvents ofUpstream(Label upstream) {
    return this;
  }

  /**
   * Returns what receives the events of a listener. Called once for each, before its first event.
   */
  default ProxyEvents ofListener(Label listener) {
    return this;
  }

  /** A client was rejected because {@code max-clients} is reached. */
  default void clientRejected() {}

  /** A backend connection is ready for commands. */
  default void backendConnected(Endpoint node) {}

  /**
   * A backend connection was lost, or a connection attempt failed. Not called when Penstock closes
   * it itself.
   */
  default void backendDisconnected(Endpoint node, Throwable cause) {}

  /**
   * Replies of a node are pending, and it has sent nothing for some time. Called again and again
   * while that lasts.
   */
  default void backendSilent(Endpoint node) {}

  /** A server that failed has left the layout: its keys belong to other servers now. */
  default void serverEjected(Endpoint node) {}

  /** An ejected server is in the layout again. */
  default void serverReadmitted(Endpoint node) {}

  /**
   * A failover hold of a loop has lasted for some time.
   *
   * @param node that cannot be reached or rejects requests; null for slots without an owner
   * @param rejection the node's latest error reply, without {@code -}; null if the node cannot be
   *     reached
   */
  default void failoverHoldBegan(@Nullable Endpoint node, @Nullable String rejection) {}

  /** A failover hold of a loop has ended. */
  default void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {}

  /** A health check of all nodes has ended, which is every few seconds; on the topology thread. */
  default void healthChecked(UpstreamStatus status) {}

  /** A topology refresh has ended; {@code failure} is null if it succeeded. */
  default void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {}
}
