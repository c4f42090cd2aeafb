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
}
