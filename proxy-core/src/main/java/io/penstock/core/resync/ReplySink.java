package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;

/** Takes a reply that is no error, in one or several parts. Confined to the jobs' loop. */
interface ReplySink {

  /**
   * Takes the next part.
   *
   * @param buffer borrowed
   */
  void add(ByteBuf buffer, int from, int to);

  /** The reply is complete. */
  void end();
}
