package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.steps.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step that changes a key has done.
 *
 * @param lost nothing was changed, because another client has changed the key since it was read
 * @param error nothing was changed, because of this error; null if there is none
 */
record Effect(boolean lost, byte @Nullable [] error) {

  static final Effect DONE = new Effect(false, null);
  static final Effect LOST = new Effect(true, null);

  /** Nothing was changed. */
  static Effect failed(byte[] error) {
    return new Effect(false, error);
  }

  /** Reads the reply to a command. */
  static Effect of(ByteBuf reply) {
    return Replies.isError(reply) ? failed(ByteBufUtil.getBytes(reply)) : DONE;
  }

  /** Reads the replies to a block of one command, with those to {@code MULTI} and {@code EXEC}. */
  static Effect ofBlock(List<ByteBuf> replies) {
    byte[] error = Replies.firstError(replies);
    if (error != null) {
      return failed(error);
    }
    ByteBuf result = replies.getLast();
    return ReplyStrings.isNil(result, result.readerIndex())
        ? LOST
        : of(Replies.elements(result).getFirst());
  }
}
