package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.penstock.core.reply.ReplyRewriter;
import org.jspecify.annotations.Nullable;

/**
 * Takes the prefix off the keys that a reply quotes if it is an error; any other reply passes as it
 * comes. Confined to the client's loop.
 */
final class ErrorStripper implements ReplyRewriter {

  private final byte[] prefix;
  private boolean begun;
  private @Nullable ErrorKeys error; // unless the reply is none

  ErrorStripper(byte[] prefix) {
    this.prefix = prefix;
  }

  @Override
  public void rewrite(ByteBuf buffer, int from, int to, Output out) {
    if (!begun && from < to) {
      begun = true;
      error = buffer.getByte(from) == '-' ? new ErrorKeys(prefix) : null;
    }
    ErrorKeys collecting = error;
    if (collecting == null) {
      out.append(buffer, from, to);
    } else {
      collecting.add(buffer, from, to);
    }
  }

  @Override
  public void end(Output out) {
    ErrorKeys collected = error;
    if (collected != null) {
      error = null;
      collected.writeTo(out);
    }
  }

  @Override
  public void reset() {
    begun = false;
    error = null;
  }
}
