package io.penstock.core.output;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;

/** Replaces the socket: records each write and releases its buffer, or keeps it. */
final class RecordedWrites extends ChannelOutboundHandlerAdapter {

  private final List<String> events = new ArrayList<>();
  private final List<ByteBuf> buffers = new ArrayList<>();
  private final List<ByteBuf> kept = new ArrayList<>();
  private boolean keeping;
  private Runnable onFlush = () -> {};

  /** The bytes of each write, and {@code flush} for each flush. */
  List<String> events() {
    return events;
  }

  List<ByteBuf> buffers() {
    return buffers;
  }

  /** From now on buffers are kept, as when the kernel accepts no more. */
  void keep() {
    keeping = true;
  }

  void releaseKept() {
    kept.forEach(ByteBuf::release);
    kept.clear();
  }

  void onFlush(Runnable action) {
    onFlush = action;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    ByteBuf buffer = (ByteBuf) message;
    events.add(Wire.text(buffer));
    buffers.add(buffer);
    if (keeping) {
      kept.add(buffer);
    } else {
      buffer.release();
    }
    promise.trySuccess();
  }

  @Override
  public void flush(ChannelHandlerContext context) {
    events.add("flush");
    onFlush.run();
  }
}
