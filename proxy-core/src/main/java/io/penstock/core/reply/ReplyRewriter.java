package io.penstock.core.reply;

import io.netty.buffer.ByteBuf;

/**
 * Changes one reply on its way to the client. It gets each byte of the reply once, in pieces that
 * may begin and end anywhere. What it holds back is on the heap: a reply may never end. Confined to
 * the client's loop.
 */
public interface ReplyRewriter {

  /** Where the changed reply goes. */
  interface Output {

    /** Appends bytes; borrows the buffer. */
    void append(ByteBuf buffer, int from, int to);
  }

  /**
   * The next piece of the reply has come.
   *
   * @param buffer borrowed; the piece is from index {@code from} to before {@code to}
   * @param out gets what the piece becomes, or what has become of earlier ones
   */
  void rewrite(ByteBuf buffer, int from, int to, Output out);

  /**
   * The reply has ended.
   *
   * @param out gets what was held back
   */
  void end(Output out);

  /** The pieces so far are not part of the reply after all: it begins again, or ends here. */
  void reset();
}
