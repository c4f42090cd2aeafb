package io.penstock.core.answer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.penstock.core.client.ClientContext;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A reply that Penstock words itself. */
final class LocalAnswer {

  private LocalAnswer() {}

  /** Ends the request with what {@code words} writes; an error line counts as a rejection. */
  static void send(ReplySlot request, Protocol protocol, Consumer<ReplyWriter> words) {
    ByteBuf bytes = encode(out -> words.accept(new ReplyWriter(out, protocol)));
    boolean error = bytes.getByte(0) == '-';
    request.deliverOwned(bytes, error ? Outcome.REJECTED : Outcome.OK);
  }

  /**
   * Has {@code answer}, which ends a request of the client, take what {@code figures} completes
   * with, on the client's loop. If either fails there is nothing left to end the request with.
   */
  static <T> void whenComplete(
      CompletionStage<T> figures, ClientContext context, Consumer<T> answer) {
    EventLoop loop = context.loop().executor();
    figures
        .thenAcceptAsync(answer, loop)
        .exceptionallyAsync(
            failure -> {
              context.client().fail(failure);
              return null;
            },
            loop);
  }

  /**
   * A buffer with what {@code words} writes; the caller owns it. When there is not memory enough
   * for it, there is no buffer.
   */
  static ByteBuf encode(Consumer<ByteBuf> words) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
    boolean whole = false;
    try {
      words.accept(bytes);
      whole = true;
      return bytes;
    } finally {
      if (!whole) {
        bytes.release();
      }
    }
  }
}
