package io.penstock.server.it;

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
import java.util.Arrays;

/**
 * A client connection that hides nothing: replies, RESP2 or RESP3, are the bytes that came, each as
 * one character of ISO 8859-1. Blocks, with a limit on every read; one thread at a time.
 */
public final class Wire implements AutoCloseable {

  private static final int READ_TIMEOUT_MILLIS = 20_000;
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private Wire(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), 64 * 1024);
    this.out = new BufferedOutputStream(socket.getOutputStream(), 64 * 1024);
  }

  public static Wire open(String host, int port) {
    return open(host, port, 0);
  }

  /**
   * Connects.
   *
   * @param receiveBuffer bytes that the kernel keeps of what is not read; 0 for its default
   */
  public static Wire open(String host, int port, int receiveBuffer) {
    Socket socket = new Socket();
    try {
      if (receiveBuffer > 0) {
        socket.setReceiveBufferSize(receiveBuffer);
      }
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(READ_TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT_MILLIS);
      return new Wire(socket);
    } catch (IOException e) {
      try (socket) {
        throw new UncheckedIOException("no connection to " + host + ":" + port, e);
      } catch (IOException f) {
        throw new UncheckedIOException(f);
      }
    }
  }

  /** The bytes of a request; arguments are text of ISO 8859-1. */
  public static byte[] request(String... arguments) {
    byte[][] bytes = new byte[arguments.length][];
    for (int i = 0; i < arguments.length; i++) {
      bytes[i] = bytes(arguments[i]);
    }
    return request(bytes);
  }

  public static byte[] request(byte[]... arguments) {
    var request = new ByteArrayOutputStream();
    request.writeBytes(bytes("*" + arguments.length + "\r\n"));
    for (byte[] argument : arguments) {
      request.writeBytes(bytes("$" + argument.length + "\r\n"));
      request.writeBytes(argument);
      request.writeBytes(bytes("\r\n"));
    }
    return request.toByteArray();
  }

  public static byte[] bytes(String latin1) {
    return latin1.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String latin1(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** A bulk string as a reply shows it. */
  public static String bulk(String content) {
    return "$" + content.length() + "\r\n" + content + "\r\n";
  }

  /** What a bulk or verbatim string reply contains, or the reply itself when it is none. */
  public static String content(String reply) {
    if (reply.charAt(0) != '$' || reply.startsWith("$-")) {
      return reply;
    }
    return reply.substring(reply.indexOf('\n') + 1, reply.length() - 2);
  }

  /** Sends one request and answers its reply. */
  public String call(String... arguments) {
    send(arguments);
    return read();
  }

  public String call(byte[]... arguments) {
    write(request(arguments));
    flush();
    return read();
  }

  /** Sends one request without reading anything. */
  public void send(String... arguments) {
    write(request(arguments));
    flush();
  }

  /** Adds bytes to what the next {@link #flush} sends. */
  public Wire write(byte[] bytes) {
    try {
      out.write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Wire write(String latin1) {
    return write(bytes(latin1));
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
    return latin1(readBytes());
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

  /** Reads until the other side closes; answers what came. */
  public String readToEnd() {
    try {
      return latin1(in.readAllBytes());
    } catch (SocketException e) {
      return ""; // a reset is an end as well
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the other side has closed, or does so while this waits. */
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
    try {
      socket.close();
    } catch (IOException e) {
      // every reply that mattered was read before
    }
  }

  /** Readable in a failure message: control characters are escaped and long replies cut. */
  public static String shown(String reply) {
    var text = new StringBuilder();
    for (byte b : Arrays.copyOf(bytes(reply), Math.min(reply.length(), 300))) {
      switch (b) {
        case '\r' -> text.append("\\r");
        case '\n' -> text.append("\\n");
        default -> {
          if (b >= ' ' && b < 0x7F) {
            text.append((char) b);
          } else {
            text.append(String.format("\\x%02x", b));
          }
        }
      }
    }
    return text + (reply.length() > 300 ? "… (" + reply.length() + " bytes)" : "");
  }
}
