package io.penstock.core.listener;

import io.netty.channel.ChannelHandler;
import io.penstock.core.observe.CloseReason;
import org.jspecify.annotations.Nullable;

/** Serves the clients of a listener on one event loop. Used on that loop only. */
public interface LoopService {

  /**
   * Returns the last handler of a new client's pipeline. The PROXY protocol's header has been read
   * and TLS's handshake has succeeded, where there are any.
   *
   * @param user that the client's certificate names, or null
   */
  ChannelHandler handler(@Nullable String user);

  /** Counts a connection that is closed before it has the handler. */
  void countClose(CloseReason why);
}
