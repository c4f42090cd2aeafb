package io.penstock.core.output;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/**
 * Sends a socket's bytes with a direct system call, bypassing io_uring. Submitting a write to
 * io_uring pays off if one call submits the writes of many sockets. For a single socket it is one
 * call, too, and takes another loop turn for the completion (docs/adr/0021). With other transports
 * a channel's write is such a call anyway, and nothing is sent here. No handler of the pipeline
 * sees these bytes, so a channel with TLS is excluded. Netty's own calls of send(2) have no flags,
 * and with io_uring Netty accepts sockets as blocking ones: such a call would block the loop while
 * the peer does not read.
 *
 * <p>Confined to the channel's event loop.
 */
final class DirectSend {

  private final @Nullable FileDescriptor socket; // null: everything is sent by the channel

  DirectSend(Channel channel) {
    boolean plain = channel.pipeline().get(SslHandler.class) == null;
    socket = plain && isUring(channel) ? ((UnixChannel) channel).fd() : null;
  }

  private static boolean isUring(Channel channel) {
    return channel instanceof IoUringSocketChannel || channel instanceof IoUringDomainSocketChannel;
  }

  /**
   * Sends what the kernel accepts immediately, and advances the reader index. No earlier write to
   * the channel may be pending. On an error nothing is sent: the channel's write that must follow
   * fails with the same error and handles it.
   *
   * @param bytes borrowed
   * @return whether all bytes were sent
   */
  boolean send(ByteBuf bytes) {
    if (socket == null || !socket.isOpen() || !bytes.hasMemoryAddress()) {
      return false;
    }
    long start = bytes.memoryAddress() + bytes.readerIndex();
    long sent = Libc.send(socket.intValue(), start, bytes.readableBytes());
    bytes.skipBytes((int) Math.max(0, sent)); // -1: nothing was sent
    return !bytes.isReadable();
  }
}
