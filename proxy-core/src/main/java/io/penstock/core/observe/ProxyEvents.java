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

  /** A client was turned away because {@code max-clients} was reached. */
  default void clientRejected() {}

  /** A backend connection is ready for commands. */
  default void backendConnected(Endpoint node) {}

  /** A backend connection ended, or an attempt to make one failed, and not by Penstock's will. */
  default void backendDisconnected(Endpoint node, Throwable cause) {}

  /**
   * A loop has held requests for some time.
   *
   * @param node that cannot be reached or takes none yet; null for slots that nobody serves
   */
  default void failoverHoldBegan(@Nullable Endpoint node) {}

  /** It holds none for that node any more. */
  default void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {}

  /** The nodes' health was looked at, which is every few seconds; on the topology thread. */
  default void healthChecked(UpstreamStatus status) {}

  /** A topology refresh ended; {@code failure} is null when it worked. */
  default void topologyRefreshed(
      RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {}
}
