package io.penstock.core.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/** Has a channel's close wait, as the kernel does when it has yet to let go of a buffer. */
public final class HeldClose extends ChannelOutboundHandlerAdapter {

  private Runnable closing = () -> {};

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    closing = () -> context.close(promise);
  }

  /** Closes the channel if that was asked for; on its event loop. Answers true. */
  public boolean letGo() {
    closing.run();
    closing = () -> {};
    return true;
  }
}
