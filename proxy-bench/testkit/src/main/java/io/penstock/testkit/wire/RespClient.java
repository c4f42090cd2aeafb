package io.penstock.testkit.wire;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A client connection. {@link #call} and {@link #read} hide nothing: their replies, RESP2 or RESP3,
 * are the bytes that came, each as one character of ISO 8859-1. {@link #value} and {@link #text}
 * take RESP2 replies apart and throw those that are errors.
 *
 * <p>Every method blocks, with a limit on each read, and throws {@link UncheckedIOException} if the
 * connection fails. One thread at a time.
 */
public final class RespClient implements AutoCloseable {

  private static final Duration READ = Duration.ofSeconds(20);
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int BUFFER = 64 * 1024; // bytes, in each direction

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RespClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), BUFFER);
    this.out = new BufferedOutputStream(socket.getOutputStream(), BUFFER);
  }

  public static RespClient open(String host, int port) {
    return open(host, port, 0);
  }

  /**
   * Connects.
   *
   * @param receiveBuffer bytes that the kernel keeps of what is not read; 0 for its default
   * @throws UncheckedIOException if no server answers there
   */
  public static RespClient open(String host, int port, int receiveBuffer) {
    return open(new InetSocketAddress(host, port), receiveBuffer, CONNECT, READ);
  }

  /**
   * Connects.
   *
   * @param timeout for the connection, and then for each read
   * @throws UncheckedIOException if no server answers there
   */
  public static RespClient open(String host, int port, Duration timeout) {
    return open(new InetSocketAddress(host, port), 0, timeout, timeout);
  }

  /**
   * Connects with TLS, and verifies that the certificate is for {@code host}.
   *
   * @throws UncheckedIOException if no server answers there, or the handshake fails
   */
  public static RespClient open(String host, int port, SSLContext tls) {
    var address = new InetSocketAddress(host, port);
    return open(tls(tls), address, 0, CONNECT, READ);
  }

  /**
   * Connects to a Unix socket.
   *
   * @throws UncheckedIOException if no server answers there
   */
  public static RespClient open(Path socket) {
    try {
      Socket connected = UnixSocket.connect(socket);
      connected.setSoTimeout(Math.toIntExact(READ.toMillis()));
      return new RespClient(connected);
    } catch (IOException e) {
      throw new UncheckedIOException("no connection to " + socket, e);
    }
  }

  private static Socket tls(SSLContext context) {
    try {
      var socket = (SSLSocket) context.getSocketFactory().createSocket();
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RespClient open(
      InetSocketAddress address, int receiveBuffer, Duration connect, Duration read) {
    return open(new Socket(), address, receiveBuffer, connect, read);
  }

  private static RespClient open(
      Socket socket,
      InetSocketAddress address,
      int receiveBuffer,
      Duration connect,
      Duration read) {
    try {
      if (receiveBuffer > 0) {
        socket.setReceiveBufferSize(receiveBuffer);
      }
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(Math.toIntExact(read.toMillis()));
      socket.connect(address, Math.toIntExact(connect.toMillis()));
      if (socket instanceof SSLSocket encrypted) {
        encrypted.startHandshake();
      }
      return new RespClient(socket);
    } catch (IOException e) {
      closeQuietly(socket);
      throw new UncheckedIOException(
          "no connection to " + address.getHostString() + ":" + address.getPort(), e);
    }
  }

  /** Sends one request of arguments in ISO 8859-1, and returns the bytes of its reply. */
  public String call(String... arguments) {
    send(arguments);
    return read();
  }

  public String call(byte[]... arguments) {
    write(Wire.requestBytes(arguments));
    flush();
    return read();
  }

  /**
   * Sends one request and returns the value of its reply: a {@code String} for a simple string, a
   * {@code byte[]} for a bulk string, a {@code Long}, a {@code List} of such, or null.
   *
   * @throws ErrorReply when the server answers with an error
   */
  public @Nullable Object value(byte[]... arguments) {
    write(Wire.requestBytes(arguments));
    flush();
    return ParsedReply.of(readBytes());
  }

  /** The same with text arguments, sent as UTF-8. */
  public @Nullable Object value(String... arguments) {
    byte[][] bytes = new byte[arguments.length][];
    for (int i = 0; i < arguments.length; i++) {
      bytes[i] = Wire.utf8(arguments[i]);
    }
    return value(bytes);
  }

  /** The same for commands that answer with one string or number; null is the empty string. */
  public String text(String... arguments) {
    Object reply = value(arguments);
    if (reply instanceof byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    return reply == null ? "" : reply.toString();
  }

  /** Sends one request without reading anything. */
  public void send(String... arguments) {
    write(Wire.request(arguments));
    flush();
  }

  /** Adds bytes to what the next {@link #flush} sends. */
  public RespClient write(byte[] bytes) {
    try {
      out.write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RespClient write(String latin1) {
    return write(Wire.bytes(latin1));
  }

  public void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads one whole reply. */
  public String read() {
    return Wire.text(readBytes());
  }

  public byte[] readBytes() {
    try {
      var reply = new ByteArrayOutputStream();
      readValue(reply);
      return reply.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readValue(ByteArrayOutputStream reply) throws IOException {
    String line = readLine(reply);
    char type = line.charAt(0);
    switch (type) {
      case '+', '-', ':', '_', ',', '#', '(' -> {}
      case '$', '=', '!' -> {
        int length = Integer.parseInt(line.substring(1));
        if (length >= 0) {
          byte[] payload = in.readNBytes(length + 2);
          if (payload.length < length + 2) {
            throw new EOFException("closed in the middle of a string");
          }
          reply.writeBytes(payload);
        }
      }
      case '*', '~', '>' -> readValues(reply, Integer.parseInt(line.substring(1)));
      case '%' -> readValues(reply, 2 * Integer.parseInt(line.substring(1)));
      case '|' -> readValues(reply, 2 * Integer.parseInt(line.substring(1)) + 1);
      default -> throw new IOException("not RESP: " + line);
    }
  }

  private void readValues(ByteArrayOutputStream reply, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      readValue(reply);
    }
  }

  private String readLine(ByteArrayOutputStream reply) throws IOException {
    var line = new StringBuilder();
    while (true) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException("closed after \"" + line + "\"");
      }
      reply.write(b);
      if (b == '\n') {
        break;
      }
      line.append((char) b);
    }
    if (line.length() < 2 || line.charAt(line.length() - 1) != '\r') {
      throw new IOException("not a line of RESP: " + line);
    }
    return line.substring(0, line.length() - 1);
  }

  /** Reads until the other side closes and returns what came. */
  public String readToEnd() {
    try {
      return Wire.text(in.readAllBytes());
    } catch (SocketException e) {
      return ""; // a reset is an end as well
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether the other side has closed, or closes while this method waits. */
  public boolean isClosedByPeer() {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bytes that can be read without waiting. */
  public int available() {
    try {
      return in.available();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends what this side sends and goes on reading. */
  public void finishSending() {
    try {
      out.flush();
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes, and waits until the system of the other side has noted the end. */
  public void closeAndWait() {
    try {
      socket.setSoLinger(true, Math.toIntExact(READ.toSeconds()));
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes with a reset instead of a proper end. */
  public void reset() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // all expected replies were read before
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
