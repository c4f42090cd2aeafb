package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;

/** One connection: sends batches and counts their replies. On its event loop. */
final class BatchClient extends ChannelInboundHandlerAdapter {

  private static final int LONGEST_ERROR = 200;

  private final BatchThread thread;
  private final ReplyScanner scanner = new ReplyScanner();
  private boolean sent;
  private int outstanding;
  private long sentAt;

  BatchClient(BatchThread thread) {
    this.thread = thread;
  }

  /** Sends one batch. When it is answered, the thread decides what is next. */
  void send(ChannelHandlerContext context, ByteBuf batch, int requests) {
    sent = true;
    outstanding = requests;
    sentAt = System.nanoTime();
    context.writeAndFlush(batch, context.voidPromise());
  }

  /** Returns whether it ever sent anything. */
  boolean hasSent() {
    return sent;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      int replies = count(bytes);
      thread.answered(replies, System.nanoTime() - sentAt);
      outstanding -= replies;
    } finally {
      bytes.release();
    }
    if (outstanding == 0) {
      thread.next(this, context);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    thread.lost("a connection was closed by the other side");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    thread.lost(cause.toString());
    context.close();
  }

  private int count(ByteBuf bytes) {
    int replies = 0;
    int at = bytes.readerIndex();
    int to = bytes.writerIndex();
    while (at < to) {
      if (!scanner.isInsideReply() && bytes.getByte(at) == '-') {
        int length = Math.min(to - at, LONGEST_ERROR);
        thread.lost("error reply " + bytes.toString(at, length, StandardCharsets.UTF_8).strip());
      }
      at = scanner.scan(bytes, at, to);
      if (at == ReplyScanner.MALFORMED) {
        throw new IllegalStateException("the reply is not RESP");
      }
      if (at == ReplyScanner.INCOMPLETE) {
        break;
      }
      replies++;
    }
    return replies;
  }
}
