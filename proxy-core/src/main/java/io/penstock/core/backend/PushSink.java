package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/** Where a connection's RESP3 pushes go. Called on the connection's loop. */
public interface PushSink {

  /** Nobody wants them. */
  PushSink NONE = (_, _, _) -> false;

  /**
   * A whole push lies in {@code buffer} from {@code from} to before {@code to}; borrowed.
   *
   * @return whether it was the last that the oldest exchange in flight waited for: that one gets no
   *     reply, as {@code SUBSCRIBE} gets none but its confirmations
   */
  boolean onPush(ByteBuf buffer, int from, int to);

  /**
   * The same with an error reply, before anybody gets it.
   *
   * @return whether it is about something that a push seemed to have confirmed: nobody gets it
   */
  default boolean onError(ByteBuf buffer, int from, int to) {
    return false;
  }
}
