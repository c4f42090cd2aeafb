package io.penstock.testkit.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Wire literals and bytes. A literal has one character of ISO 8859-1 for each byte. Any thread. */
public final class Wire {

  private static final int SHOWN = 300;

  private Wire() {}

  public static byte[] bytes(String literal) {
    return literal.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The bytes of a text that may have more than ISO 8859-1, such as a password. */
  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** The readable bytes; borrows. */
  public static String text(ByteBuf buffer) {
    return buffer.toString(StandardCharsets.ISO_8859_1);
  }

  public static String text(ByteBuf buffer, int from, int to) {
    return buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
  }

  /** A direct buffer as sockets give them; the caller owns it. */
  public static ByteBuf buffer(String literal) {
    return buffer(bytes(literal));
  }

  /** As above, for bytes. */
  public static ByteBuf buffer(byte[] bytes) {
    return ByteBufAllocator.DEFAULT.directBuffer(Math.max(16, bytes.length)).writeBytes(bytes);
  }

  /** A request as clients encode it. */
  public static String request(String... arguments) {
    var wire = new StringBuilder("*" + arguments.length + "\r\n");
    for (String argument : arguments) {
      wire.append(bulk(argument));
    }
    return wire.toString();
  }

  /** The bytes of a request. */
  public static byte[] requestBytes(byte[]... arguments) {
    var request = new ByteArrayOutputStream();
    request.writeBytes(bytes("*" + arguments.length + "\r\n"));
    for (byte[] argument : arguments) {
      request.writeBytes(bytes("$" + argument.length + "\r\n"));
      request.writeBytes(argument);
      request.writeBytes(bytes("\r\n"));
    }
    return request.toByteArray();
  }

  /** A bulk string. */
  public static String bulk(String content) {
    return "$" + content.length() + "\r\n" + content + "\r\n";
  }

  /** The content of a bulk string reply; the reply itself if it is nil or of another type. */
  public static String content(String reply) {
    if (reply.charAt(0) != '$' || reply.startsWith("$-")) {
      return reply;
    }
    return reply.substring(reply.indexOf('\n') + 1, reply.length() - 2);
  }

  /** Readable in a failure message: control characters are escaped and long replies cut. */
  public static String shown(String reply) {
    var text = new StringBuilder();
    for (byte b : Arrays.copyOf(bytes(reply), Math.min(reply.length(), SHOWN))) {
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
    return text + (reply.length() > SHOWN ? "… (" + reply.length() + " bytes)" : "");
  }
}
