package io.penstock.testkit.cluster;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plain blocking RESP2 connection, for setting servers up and for looking at them. One thread at
 * a time.
 */
public final class RespConnection implements AutoCloseable {

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RespConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = new BufferedOutputStream(socket.getOutputStream());
  }

  /**
   * Connects.
   *
   * @param timeout for the connection, and then for each reply
   * @throws UncheckedIOException when nobody answers there
   */
  public static RespConnection open(String host, int port, Duration timeout) {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
      socket.connect(new InetSocketAddress(host, port), Math.toIntExact(timeout.toMillis()));
      return new RespConnection(socket);
    } catch (IOException e) {
      closeQuietly(socket);
      throw new UncheckedIOException("no connection to " + host + ":" + port, e);
    }
  }

  /**
   * Sends one command and answers its reply: a {@code String} for a simple string, a {@code byte[]}
   * for a bulk string, a {@code Long}, a {@code List} of such, or null.
   *
   * @throws ErrorReply when the server answers with an error
   */
  public @Nullable Object call(byte[]... arguments) {
    try {
      send(arguments);
      return receive();
    } catch (IOException e) {
      throw new UncheckedIOException("connection to " + socket.getRemoteSocketAddress(), e);
    }
  }

  /** The same with text arguments, sent as UTF-8. */
  public @Nullable Object call(String... arguments) {
    byte[][] bytes = new byte[arguments.length][];
    for (int i = 0; i < arguments.length; i++) {
      bytes[i] = utf8(arguments[i]);
    }
    return call(bytes);
  }

  /** The same for commands that answer with one string or number; null is the empty string. */
  public String text(String... arguments) {
    Object reply = call(arguments);
    if (reply instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    return reply == null ? "" : reply.toString();
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void send(byte[][] arguments) throws IOException {
    out.write(header('*', arguments.length));
    for (byte[] argument : arguments) {
      out.write(header('$', argument.length));
      out.write(argument);
      out.write('\r');
      out.write('\n');
    }
    out.flush();
  }

  private @Nullable Object receive() throws IOException {
    int type = in.read();
    String line = readLine();
    return switch (type) {
      case '+' -> line;
      case '-' -> throw new ErrorReply(line);
      case ':' -> Long.valueOf(line);
      case '$' -> bulk(Integer.parseInt(line));
      case '*' -> array(Integer.parseInt(line));
      case -1 -> throw new EOFException("closed by the server");
      default -> throw new IOException("not RESP2: " + (char) type + line);
    };
  }

  private byte @Nullable [] bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("closed by the server");
    }
    return Arrays.copyOf(bytes, length);
  }

  private @Nullable List<@Nullable Object> array(int size) throws IOException {
    if (size < 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      elements.add(receive());
    }
    return elements;
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0; c = in.read()) {
      if (c == '\n') {
        line.setLength(line.length() - 1);
        break;
      }
      line.append((char) c);
    }
    return line.toString();
  }

  private static byte[] header(char type, int number) {
    return (type + Integer.toString(number) + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // nothing is lost: every reply was read before
    }
  }

  /** An error reply; the message is the server's, prefix included. */
  public static final class ErrorReply extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ErrorReply(String message) {
      super(message);
    }
  }
}
