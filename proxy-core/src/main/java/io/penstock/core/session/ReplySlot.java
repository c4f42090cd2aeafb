package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;

/** A place among a client's replies. Confined to the client's event loop. */
public interface ReplySlot {

  /**
   * Gives the whole reply, once. The client gets it behind those of earlier places. Borrows {@code
   * buffer}.
   *
   * @param from index of its first byte
   * @param to index behind its last byte
   */
  void deliver(ByteBuf buffer, int from, int to, Outcome outcome);
}
