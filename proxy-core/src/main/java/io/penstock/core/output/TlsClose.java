package io.penstock.core.output;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;

/**
 * How connections with TLS are closed. The handler goes before that of TLS, and closes in a task of
 * its own: with io_uring, a close within a read that has a write in progress, such as that of an
 * alert, does not reach the peer, because the end of the read registers a poll, which keeps the
 * socket.
 */
@ChannelHandler.Sharable
public final class TlsClose extends ChannelOutboundHandlerAdapter {

  /** The handler, for all connections. */
  public static final TlsClose HANDLER = new TlsClose();

  private TlsClose() {}

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    context.executor().execute(() -> context.close(promise));
  }

  /**
   * Closes a connection and discards its unwritten bytes. Unlike Netty's close it does not wait,
   * for up to 3 s, until TLS's close_notify is written: a peer that reads gets it, another does
   * not.
   */
  public static void discard(ChannelHandlerContext context) {
    ChannelHandlerContext tls = context.pipeline().context(SslHandler.class);
    if (tls == null) {
      context.channel().close(); // TLS has failed, and removed its handler
      return;
    }
    if (context.channel().isActive() && SocketOutput.unwrittenBytes(context.channel()) == 0) {
      ((SslHandler) tls.handler()).closeOutbound();
    }
    tls.close();
  }
}
