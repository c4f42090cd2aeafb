package io.penstock.core.acl;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.spec.Glob;
import java.nio.charset.StandardCharsets;

/**
 * A glob pattern of keys or channels. A pattern whose only special character is a star at its end
 * is compared as a prefix. Immutable.
 */
final class NamePattern {

  private static final String SPECIAL = "*?[\\";

  private final String text;
  private final Glob glob;
  private final ByteBuf literal; // up to the first special character
  private final boolean isPrefix;
  private final boolean isName;

  private NamePattern(String text) {
    this.text = text;
    glob = Glob.exact(text);
    int length = literalLength(text);
    byte[] bytes = text.substring(0, length).getBytes(StandardCharsets.ISO_8859_1);
    literal = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes)).asReadOnly();
    isPrefix = length == text.length() - 1 && text.endsWith("*");
    isName = length == text.length();
  }

  static NamePattern of(String text) {
    return new NamePattern(text);
  }

  private static int literalLength(String text) {
    int length = 0;
    while (length < text.length() && SPECIAL.indexOf(text.charAt(length)) < 0) {
      length++;
    }
    return length;
  }

  String text() {
    return text;
  }

  boolean matches(String name) {
    return glob.matches(name);
  }

  /** Returns whether a name matches. */
  boolean matches(ByteBuf buffer, int offset, int length) {
    int prefix = literal.capacity();
    if (length < prefix || !ByteBufUtil.equals(literal, 0, buffer, offset, prefix)) {
      return false;
    }
    if (isPrefix) {
      return length > 0; // as in Redis, a star does not match an empty name
    }
    return isName ? length == prefix : glob.matches(buffer, offset, length);
  }

  /** Returns whether the bytes are this pattern as it is written. */
  boolean isWritten(ByteBuf buffer, int offset, int length) {
    if (length != text.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (buffer.getUnsignedByte(offset + i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
