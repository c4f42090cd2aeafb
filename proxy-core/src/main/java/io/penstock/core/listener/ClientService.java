package io.penstock.core.listener;

import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Serves the clients that a listener admits. There is one kind for RESP and one for plain TCP; each
 * listener has the one that its upstream needs, so that nothing else asks which it is. Safe from
 * any thread.
 */
public interface ClientService {

  /** Returns what serves the clients of a Netty event loop. On that loop. */
  LoopService on(EventLoop loop);

  /**
   * Returns what a client above the limit gets before its connection is closed; null for nothing.
   * Not to be changed.
   */
  byte @Nullable [] rejection();
}
