package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;

/** Stands where the socket would: takes each write whole, or keeps it until it is told to. */
final class RecordedWrites extends ChannelOutboundHandlerAdapter {

  private final List<String> events = new ArrayList<>();
  private final List<ByteBuf> buffers = new ArrayList<>();
  private final List<ByteBuf> kept = new ArrayList<>();
  private boolean keeping;
  private Runnable onFlush = () -> {};

  /** Each write's bytes, and {@code flush}. */
  List<String> events() {
    return events;
  }

  List<ByteBuf> buffers() {
    return buffers;
  }

  /** From now on a write's buffer is held, as when the kernel takes no more. */
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
