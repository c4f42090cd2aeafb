package io.penstock.testkit.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A connection to a Unix socket for code that takes a {@link Socket}, with timeouts for reads. The
 * JDK has only channels for it. One thread may read while another writes; any may close.
 */
public final class UnixSocket extends Socket {

  private static final int BUFFER = 64 * 1024;

  private final SocketChannel channel;
  private final Selector readable = Selector.open();
  private final Selector writable = Selector.open();
  private final ByteBuffer received = ByteBuffer.allocate(BUFFER).limit(0);
  private volatile int timeout; // ms; 0 is none

  private UnixSocket(SocketChannel channel) throws IOException {
    super((SocketImpl) null);
    this.channel = channel;
    channel.configureBlocking(false);
    channel.register(readable, SelectionKey.OP_READ);
    channel.register(writable, SelectionKey.OP_WRITE);
  }

  /** Connects to the socket at a path. */
  public static UnixSocket connect(Path path) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(path));
      return new UnixSocket(channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public InputStream getInputStream() {
    return new InputStream() {

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        while (!received.hasRemaining()) {
          if (receive() < 0) {
            return -1;
          }
          if (!received.hasRemaining()) {
            await();
          }
        }
        int count = Math.min(length, received.remaining());
        received.get(bytes, offset, count);
        return count;
      }

      @Override
      public int available() throws IOException {
        if (!received.hasRemaining()) {
          receive();
        }
        return received.remaining();
      }
    };
  }

  /** Reads what has arrived. Returns -1 at the end. */
  private int receive() throws IOException {
    received.clear();
    try {
      return channel.read(received);
    } catch (ClosedChannelException e) {
      throw closed(e);
    } finally {
      received.flip();
    }
  }

  private void await() throws IOException {
    try {
      if (readable.select(timeout) == 0 && timeout > 0) {
        throw new SocketTimeoutException("Read timed out");
      }
      readable.selectedKeys().clear();
    } catch (ClosedSelectorException e) {
      throw closed(e);
    }
  }

  @Override
  public OutputStream getOutputStream() {
    return new OutputStream() {

      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
        try {
          while (left.hasRemaining()) {
            if (channel.write(left) == 0) {
              writable.select();
              writable.selectedKeys().clear();
            }
          }
        } catch (ClosedChannelException | ClosedSelectorException e) {
          throw closed(e);
        }
      }
    };
  }

  private static SocketException closed(Exception cause) {
    var failure = new SocketException("Socket closed");
    failure.initCause(cause);
    return failure;
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
    readable.close();
    writable.close();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
  }

  @Override
  public boolean isBound() {
    return true;
  }

  @Override
  public boolean isInputShutdown() {
    return isClosed();
  }

  @Override
  public boolean isOutputShutdown() {
    return isClosed();
  }

  @Override
  public void setSoTimeout(int millis) {
    timeout = millis;
  }

  @Override
  public int getSoTimeout() {
    return timeout;
  }

  /** Does nothing: only TCP has it, as the next ones. */
  @Override
  public void setTcpNoDelay(boolean on) {}

  @Override
  public void setKeepAlive(boolean on) {}

  @Override
  public void setSoLinger(boolean on, int seconds) {}
}
