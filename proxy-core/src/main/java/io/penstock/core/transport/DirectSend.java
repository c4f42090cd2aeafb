package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Sends a socket's bytes in a system call of their own, past io_uring. Submitting them is worth it
 * where one call submits what many sockets have to send; for one alone it is the same call, and a
 * turn of the loop more for the completion (docs/adr/0021). With other transports a channel's write
 * is such a call anyway, and nothing is sent here.
 *
 * <p>Confined to the channel's event loop.
 */
final class DirectSend {

  private final @Nullable Socket socket; // null: what there is to send goes through the channel

  DirectSend(Channel channel) {
    socket =
        channel instanceof IoUringSocketChannel uring && uring.fd() instanceof Socket own
            ? own
            : null;
  }

  /**
   * Sends what the kernel takes at once, and moves the reader index behind it. Nothing written to
   * the channel earlier may still be on its way. An error sends nothing: the channel's own write,
   * which is to follow, meets it again and deals with it.
   *
   * @param bytes a direct buffer; borrowed
   * @return whether all of it was taken
   */
  boolean send(ByteBuf bytes) {
    if (socket == null || !bytes.hasMemoryAddress()) {
      return false;
    }
    try {
      int taken =
          socket.sendAddress(bytes.memoryAddress(), bytes.readerIndex(), bytes.writerIndex());
      bytes.skipBytes(Math.max(0, taken)); // -1: nothing, for now
      return !bytes.isReadable();
    } catch (IOException gone) {
      return false;
    }
  }
}
