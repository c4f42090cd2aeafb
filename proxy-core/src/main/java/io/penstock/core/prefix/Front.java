package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.resp.Header;
import java.io.ByteArrayOutputStream;

/** The bytes that are put in front of keys, and those in front of glob patterns. Immutable. */
final class Front {

  private static final int SHORT = 32;
  private static final byte[] LINE_END = {'\r', '\n'};

  private final byte[] text;
  private final byte[] glob;

  Front(byte[] text) {
    this.text = text;
    this.glob = escaped(text);
  }

  /** Returns a pattern that matches these bytes alone. */
  private static byte[] escaped(byte[] text) {
    var out = new ByteArrayOutputStream();
    for (byte b : text) {
      if (b == '*' || b == '?' || b == '[' || b == ']' || b == '\\') {
        out.write('\\');
      }
      out.write(b);
    }
    return out.toByteArray();
  }

  byte[] text() {
    return text;
  }

  byte[] glob() {
    return glob;
  }

  boolean hasStar() {
    for (byte b : text) {
      if (b == '*') {
        return true;
      }
    }
    return false;
  }

  /** Returns the request that lists all keys with the prefix; the caller owns it. */
  ByteBuf keysRequest() {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(glob.length + SHORT);
    Header.write(out, '*', 2);
    Header.write(out, '$', 4);
    out.writeBytes(new byte[] {'K', 'E', 'Y', 'S'}).writeBytes(LINE_END);
    Header.write(out, '$', glob.length + 1);
    return out.writeBytes(glob).writeByte('*').writeBytes(LINE_END);
  }
}
