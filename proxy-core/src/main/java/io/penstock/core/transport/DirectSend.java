package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Sends a socket's bytes in a system call of their own, past io_uring. Submitting them is worth it
 * where one call submits what many sockets have to send; for one alone it is the same call, and a
 * turn of the loop more for the completion (docs/adr/0021). With other transports a channel's write
 * is such a call anyway, and nothing is sent here. No handler of the pipeline sees these bytes: one
 * that would change them, like TLS, rules this out. Netty's own calls of send(2) have no flags, and
 * with io_uring Netty accepts sockets as blocking ones: such a call would hold the loop for as long
 * as the peer does not read.
 *
 * <p>Confined to the channel's event loop.
 */
final class DirectSend {

  private final @Nullable FileDescriptor socket; // null: all there is to send goes by the channel

  DirectSend(Channel channel) {
    socket = channel instanceof IoUringSocketChannel uring ? uring.fd() : null;
  }

  /**
   * Sends what the kernel takes at once, and moves the reader index behind it. Nothing written to
   * the channel earlier may still be on its way. An error sends nothing: the channel's own write,
   * which is to follow, meets it again and deals with it.
   *
   * @param bytes borrowed
   * @return whether all of it was taken
   */
  boolean send(ByteBuf bytes) {
    if (socket == null || !socket.isOpen() || !bytes.hasMemoryAddress()) {
      return false;
    }
    long start = bytes.memoryAddress() + bytes.readerIndex();
    long taken = Libc.send(socket.intValue(), start, bytes.readableBytes());
    bytes.skipBytes((int) Math.max(0, taken)); // -1: nothing, for now or for good
    return !bytes.isReadable();
  }
}
