package io.penstock.testkit.network;

import io.penstock.testkit.wire.UnixSocket;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * One end of a connection, TCP or of a Unix socket, that a test drives by hand: it sends bytes and
 * waits for exactly the bytes it expects. The next expectation sees a byte that should not have
 * come; what is not as expected is an {@link AssertionError}. One thread at a time.
 */
public final class Peer implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 10_000;

  private static final int SHOWN = 150;

  private final Socket socket;

  Peer(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
  }

  /** Connects to a port of this machine. */
  public static Peer connect(int port) {
    return connect(InetAddress.getLoopbackAddress().getHostAddress(), port);
  }

  /** Connects to a port of an address. */
  public static Peer connect(String host, int port) {
    try {
      return new Peer(new Socket(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Connects to a Unix socket. */
  public static Peer connect(Path socket) {
    try {
      return new Peer(UnixSocket.connect(socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Peer send(String literal) {
    return send(Wire.bytes(literal));
  }

  public Peer send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads as many bytes as the literal has; they must be the literal's. */
  public Peer expect(String literal) {
    String read = read(literal.length());
    if (!read.equals(literal)) {
      int at = Arrays.mismatch(read.toCharArray(), literal.toCharArray());
      throw new AssertionError(
          "around byte %d came\n  %s\nand not\n  %s"
              .formatted(at, around(read, at), around(literal, at)));
    }
    return this;
  }

  private static String around(String text, int at) {
    return Wire.shown(text.substring(Math.max(0, at - SHOWN), Math.min(text.length(), at + SHOWN)));
  }

  /** Reads {@code length} bytes, or fewer when no more come. */
  public String read(int length) {
    byte[] bytes = new byte[length];
    int at = 0;
    try {
      while (at < length) {
        int more = socket.getInputStream().read(bytes, at, length - at);
        if (more < 0) {
          return Wire.text(Arrays.copyOf(bytes, at)) + "<end>";
        }
        at += more;
      }
    } catch (SocketTimeoutException e) {
      return Wire.text(Arrays.copyOf(bytes, at)) + "<nothing more came>";
    } catch (SocketException e) {
      return Wire.text(Arrays.copyOf(bytes, at)) + "<" + e.getMessage() + ">";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Wire.text(bytes);
  }

  /** Reads a whole bulk string reply and returns its content. */
  public String readBulk() {
    expect("$");
    var length = new StringBuilder();
    for (String c = read(1); !c.equals("\r"); c = read(1)) {
      length.append(c);
    }
    expect("\n");
    String content = read(Integer.parseInt(length.toString()));
    expect("\r\n");
    return content;
  }

  /** Returns the port of the other end. */
  public int remotePort() {
    return socket.getPort();
  }

  /** Returns the number of bytes that have arrived and were not read. */
  public int pending() {
    try {
      return socket.getInputStream().available();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Expects that the other side closes and sends nothing before. */
  public void expectClosed() {
    String read = read(1);
    if (!read.equals("<end>") && !read.equals("<Connection reset>")) {
      throw new AssertionError("no end came but " + Wire.shown(read));
    }
  }

  /** Closes the sending side; reading goes on. */
  public Peer finishSending() {
    try {
      socket.shutdownOutput();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes with a reset, as a process that is killed with unread bytes. */
  public void reset() {
    try {
      socket.setSoLinger(true, 0);
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
    close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
