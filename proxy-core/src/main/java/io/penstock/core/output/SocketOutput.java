package io.penstock.core.output;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/**
 * The output of one socket, written at the end of the loop turn.
 *
 * <p>Small pieces are copied into one buffer; large ones are written as retained slices. The first
 * piece adds the output to the loop's {@link FlushQueue}, which alone flushes it. Confined to the
 * channel's event loop.
 *
 * <p>Three things are independent of each other. How it ends ({@link Closing}) changes at most
 * twice. The turn has {@code queued}, and {@code written} only while {@code queued}. What the peer
 * has left unread is {@code backlogged} by the last flush, and {@code stuck} by the beginning of
 * the last turn with output. These four are flags and no states: each turn changes them for each
 * socket, and to store a reference costs more than to store a flag, which the garbage collector
 * does not track.
 */
public final class SocketOutput {

  /** Pieces of this size or larger are written as slices and not copied. */
  public static final int SLICE_THRESHOLD = 4 * 1024;

  /** With more unwritten bytes from earlier turns, the peer is considered not to read. */
  private static final int STUCK_THRESHOLD = 64 * 1024;

  private final ChannelHandlerContext context;
  private final FlushQueue queue;
  private final Runnable onBacklog;
  private final DirectSend direct;
  private final boolean encrypted; // TLS copies what is written, so buffers say nothing about it
  private @Nullable ByteBuf tail;
  private Closing closing = Closing.NO;
  private boolean queued; // the queue will flush it in this turn
  private boolean written; // bytes were written to the channel and not flushed yet
  private boolean backlogged; // the kernel did not accept everything in the last flush
  private boolean stuck; // much of that was still unwritten when the turn's output began
  private long appendedBytes;

  /** How the channel ends. From {@code NO} or {@code WHEN_WRITTEN} it may change to a later one. */
  private enum Closing {
    /** The channel stays open. */
    NO,
    /** The channel closes when everything is written. */
    WHEN_WRITTEN,
    /** The channel is being closed, which may take some time. Nothing is written any more. */
    NOW
  }

  /**
   * @param context of the channel's last handler, from which bytes are written
   * @param queue of the channel's event loop
   */
  public SocketOutput(ChannelHandlerContext context, FlushQueue queue) {
    this(context, queue, () -> {});
  }

  /**
   * @param onBacklog called at the end of each turn that leaves more than one buffer's capacity of
   *     the output unwritten
   */
  public SocketOutput(ChannelHandlerContext context, FlushQueue queue, Runnable onBacklog) {
    this.context = context;
    this.queue = queue;
    this.onBacklog = onBacklog;
    this.direct = new DirectSend(context.channel());
    this.encrypted = context.pipeline().get(SslHandler.class) != null;
  }

  /** Appends {@code length} bytes of {@code source} from {@code index} on; borrows the buffer. */
  public void append(ByteBuf source, int index, int length) {
    if (length >= SLICE_THRESHOLD) {
      appendOwned(
          stuck ? RetainedSlice.of(source, index, length) : source.retainedSlice(index, length));
      return;
    }
    tailWithRoom(length).writeBytes(source, index, length);
    appendedBytes += length;
  }

  /** Appends a copy of the bytes. */
  public void append(byte[] source) {
    append(source, 0, source.length);
  }

  /** Appends a copy of {@code length} bytes of {@code source} from {@code offset} on. */
  public void append(byte[] source, int offset, int length) {
    if (length > FlushQueue.BUFFER_SIZE) {
      appendOwned(context.alloc().buffer(length).writeBytes(source, offset, length));
      return;
    }
    tailWithRoom(length).writeBytes(source, offset, length);
    appendedBytes += length;
  }

  /** Appends all readable bytes of {@code source} and takes ownership of it. */
  public void appendOwned(ByteBuf source) {
    int length = source.readableBytes();
    if (length == 0 || closing == Closing.NOW) {
      source.release();
      return;
    }
    if (length < SLICE_THRESHOLD) {
      append(source, source.readerIndex(), length);
      source.release();
      return;
    }
    enqueue();
    writeTail();
    appendedBytes += length;
    written = true;
    context.write(source, context.voidPromise());
  }

  /** Closes the channel when everything appended so far was written. */
  public void closeWhenWritten() {
    if (closing == Closing.NO) {
      closing = Closing.WHEN_WRITTEN;
    }
    enqueue();
  }

  /**
   * Closes the channel now, discarding unwritten bytes and all that are appended later. Otherwise,
   * with io_uring, a channel would accept writes until the kernel has released the last one.
   */
  public void closeAndDiscard() {
    closing = Closing.NOW;
    if (encrypted) {
      TlsClose.discard(context);
    } else if (unwrittenBytes() == 0) {
      context.channel().close();
    } else { // see TlsClose: with io_uring, a close within a read would not reach the peer
      context.executor().execute(context.channel()::close);
    }
  }

  /** Runs {@code action} on this loop when everything appended so far was written or has failed. */
  public void whenWritten(Runnable action) {
    enqueue();
    writeTail();
    written = true;
    context.write(Unpooled.EMPTY_BUFFER).addListener(_ -> action.run());
  }

  /** Bytes appended since the start. */
  public long appendedBytes() {
    return appendedBytes;
  }

  /**
   * Bytes that were written to the channel and not yet accepted by the kernel. With TLS they are
   * those of its records, and of what waits for the handshake.
   */
  public long unwrittenBytes() {
    return unwrittenBytes(context.channel());
  }

  static long unwrittenBytes(Channel channel) {
    ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
    return pending == null ? 0 : pending.totalPendingWriteBytes();
  }

  /**
   * Bytes that the kernel has accepted, also of a large piece that it has not accepted as a whole.
   * It is a little too low while others are unwritten: they count with what Netty and TLS add.
   */
  public long acceptedBytes() {
    ByteBuf last = tail;
    long accepted = appendedBytes - (last == null ? 0 : last.readableBytes());
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    return pending == null
        ? accepted
        : accepted - pending.totalPendingWriteBytes() + pending.currentProgress();
  }

  public Channel channel() {
    return context.channel();
  }

  private ByteBuf tailWithRoom(int length) {
    ByteBuf current = tail;
    if (current != null && current.writableBytes() >= length) {
      return current;
    }
    enqueue();
    writeTail();
    current = queue.takeBuffer(context.alloc());
    tail = current;
    return current;
  }

  private void writeTail() {
    ByteBuf full = tail;
    if (full == null) {
      return;
    }
    tail = null;
    if (closing == Closing.NOW) {
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
      stuck = backlogged && unwrittenBytes() > STUCK_THRESHOLD;
      queue.add(this);
    }
  }

  /** Flushes everything; called by the queue once per turn. */
  void flush() {
    queued = false;
    ByteBuf last = tail;
    boolean hadWrites = written;
    // Before the flush, in which the channel may become writable and more may be appended.
    tail = null;
    written = false;
    if (closing == Closing.NOW || !context.channel().isActive()) {
      if (last != null) {
        queue.returnBuffer(last);
      }
      return;
    }
    if (last != null) {
      if (!hadWrites && queue.hasOne() && isIdle() && direct.send(last)) {
        queue.returnBuffer(last);
        backlogged = false;
      } else {
        send(last);
      }
    } else if (hadWrites) {
      context.flush();
      backlogged = unwrittenBytes() > 0;
    }
    if (closing == Closing.WHEN_WRITTEN) {
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
    if (backlogged && unwrittenBytes() > FlushQueue.BUFFER_SIZE) {
      onBacklog.run();
    }
  }

  /** Returns whether the channel is open and has no pending writes. */
  private boolean isIdle() {
    ChannelOutboundBuffer pending = context.channel().unsafe().outboundBuffer();
    return pending != null && pending.totalPendingWriteBytes() == 0;
  }

  private void send(ByteBuf last) {
    ByteBuf sent = last;
    if (backlogged
        && RetainedSlice.isWasteful(last.readableBytes(), last.capacity())
        && unwrittenBytes() > 0) {
      // A few bytes behind unwritten ones would keep a whole buffer until those are written.
      sent = RetainedSlice.copy(last, last.readerIndex(), last.readableBytes());
    } else {
      last.retain(); // so that it can be reused if the kernel accepts all of it now
    }
    context.writeAndFlush(sent, context.voidPromise());
    boolean whole = queue.returnBuffer(last);
    boolean known = sent == last && !encrypted;
    backlogged = known ? !whole : unwrittenBytes() > 0;
  }
}
