package io.penstock.core.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/** Wire literals and bytes, one character a byte. */
public final class Wire {

  private Wire() {}

  public static byte[] bytes(String literal) {
    return literal.getBytes(StandardCharsets.ISO_8859_1);
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

  public static String bulk(String content) {
    return "$" + content.length() + "\r\n" + content + "\r\n";
  }
}
