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
import org.jspecify.annotations.Nullable;

/** Sends replies of Penstock's own. */
final class LocalAnswer {

  private LocalAnswer() {}

  /**
   * Answers the request with the reply that {@code content} writes; an error line counts as a
   * rejection.
   */
  static void send(ReplySlot request, Protocol protocol, Consumer<ReplyWriter> content) {
    ByteBuf bytes = encode(out -> content.accept(new ReplyWriter(out, protocol)));
    boolean error = bytes.getByte(0) == '-';
    request.deliverOwned(bytes, error ? Outcome.REJECTED : Outcome.OK);
  }

  /**
   * Passes the result of {@code figures} to {@code answer}, which answers a request of the client,
   * on the client's loop. If either fails, the client is closed: the request cannot be answered any
   * more.
   */
  static <T extends @Nullable Object> void whenComplete(
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
   * Returns a buffer with the bytes that {@code content} writes; the caller owns it. The buffer is
   * released if {@code content} fails, for example for lack of memory.
   */
  static ByteBuf encode(Consumer<ByteBuf> content) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
    boolean whole = false;
    try {
      content.accept(bytes);
      whole = true;
      return bytes;
    } finally {
      if (!whole) {
        bytes.release();
      }
    }
  }
}
