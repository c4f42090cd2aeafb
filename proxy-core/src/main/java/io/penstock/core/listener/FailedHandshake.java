package io.penstock.core.listener;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Goes before TLS's handler when a handshake has failed. That handler then writes the alert and
 * closes; this one lets the client read the alert first, as {@link RejectedClient} does with an
 * error line. Confined to the client's loop.
 */
final class FailedHandshake extends ChannelOutboundHandlerAdapter {

  private final AtomicInteger all;

  /**
   * @param all how many clients are kept until they close
   */
  FailedHandshake(AtomicInteger all) {
    this.all = all;
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    RejectedClient reader =
        context.channel().isActive()
            ? RejectedClient.end(context.channel(), context, Unpooled.EMPTY_BUFFER, all)
            : null;
    if (reader == null) {
      context.close(promise);
      return;
    }
    context.channel().closeFuture().addListener(_ -> promise.trySuccess());
    ClientPipeline.replace(context, reader);
  }
}
