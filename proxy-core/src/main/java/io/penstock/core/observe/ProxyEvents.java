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
   * A failover hold of a loop has lasted for some time.
   *
   * @param node that cannot be reached or does not accept requests yet; null for slots without an
   *     owner
   */
  default void failoverHoldBegan(@Nullable Endpoint node) {}

  /** A failover hold of a loop has ended. */
  default void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {}

  /** A health check of all nodes has ended, which is every few seconds; on the topology thread. */
  default void healthChecked(UpstreamStatus status) {}

  /** A topology refresh has ended; {@code failure} is null if it succeeded. */
  default void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {}
}
