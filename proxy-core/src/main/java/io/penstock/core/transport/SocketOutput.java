package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one socket has to send at the end of this loop turn.
 *
 * <p>Small pieces are copied behind one another into one buffer; large ones are passed on as
 * retained slices. The first piece puts the output on the loop's {@link FlushQueue}; nobody else
 * flushes. Confined to the channel's event loop.
 */
public final class SocketOutput {

  /** From this size on a piece is passed on, not copied. */
  public static final int SLICE_THRESHOLD = 4 * 1024;

  /** With so many bytes left from earlier turns a socket is taken to be one that nobody reads. */
  private static final int STUCK = 64 * 1024;

  private final ChannelHandlerContext context;
  private final FlushQueue queue;
  private final Runnable onBacklog;
  private final DirectSend direct;
  private @Nullable ByteBuf tail;
  private boolean queued;
  private boolean written; // something went to the channel and awaits its flush
  private boolean closing; // once everything is written
  private boolean abandoned; // the channel closes, which may take a while
  private boolean backlogged; // the kernel did not take everything at once the last time
  private boolean stuck; // a lot of it still waits in this turn
  private long appendedBytes;

  /**
   * @param context of the channel's last handler: writes go from there towards the socket
   * @param queue of the channel's event loop
   */
  public SocketOutput(ChannelHandlerContext context, FlushQueue queue) {
    this(context, queue, () -> {});
  }

  /**
   * As the other constructor.
   *
   * @param onBacklog called at the end of each turn that leaves more than a buffer to the kernel's
   *     next chance
   */
  public SocketOutput(ChannelHandlerContext context, FlushQueue queue, Runnable onBacklog) {
    this.context = context;
    this.queue = queue;
    this.onBacklog = onBacklog;
    this.direct = new DirectSend(context.channel());
  }

  /** Appends {@code length} bytes of {@code source} from {@code index} on; borrows the buffer. */
  public void append(ByteBuf source, int index, int length) {
    if (length >= SLICE_THRESHOLD) {
      appendOwned(
          stuck ? RetainedSlice.of(source, index, length) : source.retainedSlice(index, length));
      return;
    }
    space(length).writeBytes(source, index, length);
    appendedBytes += length;
  }

  /** Appends bytes that are copied. */
  public void append(byte[] source) {
    append(source, 0, source.length);
  }

  /** Appends {@code length} bytes of {@code source} from {@code offset} on; copies them. */
  public void append(byte[] source, int offset, int length) {
    if (length > FlushQueue.BUFFER_SIZE) {
      appendOwned(context.alloc().buffer(length).writeBytes(source, offset, length));
      return;
    }
    space(length).writeBytes(source, offset, length);
    appendedBytes += length;
  }

  /** Appends all readable bytes of {@code source} and takes ownership of it. */
  public void appendOwned(ByteBuf source) {
    int length = source.readableBytes();
    if (length == 0 || abandoned) {
      source.release();
      return;
    }
    if (length < SLICE_THRESHOLD) {
      append(source, source.readerIndex(), length);
      source.release();
      return;
    }
    enqueue();
    passOnTail();
    appendedBytes += length;
    written = true;
    context.write(source, context.voidPromise());
  }

  /** Closes the channel when everything appended so far has been written. */
  public void closeWhenWritten() {
    closing = true;
    enqueue();
  }

  /**
   * Closes the channel at once, whatever has not been written, and drops what is yet to come: with
   * io_uring a channel takes writes until the kernel has let go of the last one.
   */
  public void closeAndDiscard() {
    abandoned = true;
    context.channel().close();
  }

  /**
   * Runs {@code action} on this loop when everything appended so far has been written, or never can
   * be.
   */
  public void whenWritten(Runnable action) {
    enqueue();
    passOnTail();
    written = true;
    context.write(Unpooled.EMPTY_BUFFER).addListener(_ -> action.run());
  }

  /** Bytes appended since the start. */
  public long appendedBytes() {
    return appendedBytes;
  }

  /** Bytes that the channel has taken and the kernel has not. */
  public long unwrittenBytes() {
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    return pending == null ? 0 : pending.totalPendingWriteBytes();
  }

  public Channel channel() {
    return context.channel();
  }

  private ByteBuf space(int length) {
    ByteBuf current = tail;
    if (current != null && current.writableBytes() >= length) {
      return current;
    }
    enqueue();
    passOnTail();
    current = queue.takeBuffer(context.alloc());
    tail = current;
    return current;
  }

  private void passOnTail() {
    ByteBuf full = tail;
    if (full == null) {
      return;
    }
    tail = null;
    if (abandoned) {
      queue.returnBuffer(full);
      return;
    }
    written = true;
    ByteBuf out = full;
    if (stuck && RetainedSlice.isWasteful(full.readableBytes(), full.capacity())) {
      out = RetainedSlice.copy(full, full.readerIndex(), full.readableBytes());
      queue.returnBuffer(full);
    }
    context.write(out, context.voidPromise());
  }

  private void enqueue() {
    if (!queued) {
      queued = true;
      stuck = backlogged && unwrittenBytes() > STUCK;
      queue.add(this);
    }
  }

  /** Writes everything in one go; called by the queue once per turn. */
  void flush() {
    queued = false;
    ByteBuf last = tail;
    boolean passedOn = written;
    // Before the flush: in it the channel may become writable, and more may be appended.
    tail = null;
    written = false;
    if (abandoned || !context.channel().isActive()) {
      if (last != null) {
        queue.returnBuffer(last);
      }
      return;
    }
    if (last != null) {
      if (!passedOn && queue.hasOne() && isIdle() && direct.send(last)) {
        queue.returnBuffer(last);
        backlogged = false;
      } else {
        send(last);
      }
    } else if (passedOn) {
      context.flush();
      backlogged = unwrittenBytes() > 0;
    }
    if (closing) {
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
    if (backlogged && unwrittenBytes() > FlushQueue.BUFFER_SIZE) {
      onBacklog.run();
    }
  }

  /** The channel takes writes, and has written all that it took. */
  private boolean isIdle() {
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    return pending != null && pending.totalPendingWriteBytes() == 0;
  }

  private void send(ByteBuf last) {
    ByteBuf sent = last;
    if (backlogged
        && RetainedSlice.isWasteful(last.readableBytes(), last.capacity())
        && unwrittenBytes() > 0) {
      // A few bytes behind others that wait would keep a whole buffer for as long as those wait.
      sent = RetainedSlice.copy(last, last.readerIndex(), last.readableBytes());
    } else {
      last.retain(); // so that it comes back when the kernel took all of it at once
    }
    context.writeAndFlush(sent, context.voidPromise());
    boolean whole = queue.returnBuffer(last);
    backlogged = sent == last ? !whole : unwrittenBytes() > 0;
  }
}
