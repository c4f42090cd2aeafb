package io.penstock.core.dispatch;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Exchange;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** Whether nodes keep up with a client, which pauses if they do not. Used on one loop only. */
public interface Capacity {

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
   * @param connections which of the node's they use
   */
  boolean hasRoomForLargeReply(
      int partition, Protocol protocol, int client, ConnectionKey connections);

  /**
   * Runs {@code action} once, on this loop, when {@link #isWritable} or {@link
   * #hasRoomForLargeReply} may have changed to true.
   *
   * @param client {@linkplain Exchange#affinity() affinity} of the client's exchanges
   */
  void whenWritable(int client, Runnable action);
}
