package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Receives the RESP3 pushes of a connection. Called on the connection's loop. */
public interface PushSink {

  /** Discards pushes. */
  PushSink NONE = (_, _, _, _) -> false;

  /**
   * A whole push has arrived.
   *
   * @param oldest the oldest exchange in flight, or null
   * @param buffer borrowed; the push is from index {@code from} to before {@code to}
   * @return whether it completes the oldest exchange in flight, which then gets no reply: {@code
   *     SUBSCRIBE} is answered by its confirmations only
   */
  boolean onPush(@Nullable Exchange oldest, ByteBuf buffer, int from, int to);

  /**
   * An error reply has arrived. Called before the exchange in flight gets it.
   *
   * @param oldest the oldest exchange in flight, or null
   * @return whether it belongs to something that a push has already confirmed, so that no exchange
   *     gets it
   */
  default boolean onError(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
    return false;
  }

  /**
   * Returns whether {@link #onError} may return true for an error while nothing is in flight. If
   * not, such an error is unexpected, and the connection is closed.
   */
  default boolean mayOwnErrors() {
    return false;
  }

  /** The connection is closed: no push follows. Called before what is in flight fails. */
  default void onClose() {}
}
