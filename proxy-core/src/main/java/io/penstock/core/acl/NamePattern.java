package io.penstock.core.acl;

import io.netty.buffer.ByteBuf;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.Glob;

/**
 * A glob pattern of keys or channels. A pattern whose only special character is a star at its end
 * is compared as a prefix. Immutable.
 */
final class NamePattern {

  private static final String SPECIAL = "*?[\\";

  private final String text;
  private final Glob glob;
  private final long[] literal; // up to the first special character; little-endian, zero-padded
  private final int literalLength;
  private final boolean isPrefix;
  private final boolean isName;

  private NamePattern(String text) {
    this.text = text;
    glob = Glob.exact(text);
    int length = literalLength(text);
    literal = new long[(length + Long.BYTES - 1) / Long.BYTES];
    for (int i = 0; i < length; i++) {
      literal[i / Long.BYTES] |= (long) text.charAt(i) << (i % Long.BYTES * Byte.SIZE);
    }
    literalLength = length;
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

  /** Returns up to eight literal bytes, little-endian and zero-padded. */
  long firstWord() {
    return literal.length == 0 ? 0 : literal[0];
  }

  /** Returns which bits of a name must be those of {@link #firstWord}. */
  long firstMask() {
    return literalLength >= Long.BYTES ? -1 : (1L << (literalLength * Byte.SIZE)) - 1;
  }

  /** Returns whether a name matches. */
  boolean matches(ByteBuf buffer, int offset, int length) {
    if (length < literalLength || !startsWithLiteral(buffer, offset)) {
      return false;
    }
    if (isPrefix) {
      return length > 0; // as in Redis, a star does not match an empty name
    }
    return isName ? length == literalLength : glob.matches(buffer, offset, length);
  }

  private boolean startsWithLiteral(ByteBuf buffer, int offset) {
    for (int i = 0; i < literal.length; i++) {
      int at = i * Long.BYTES;
      int length = Math.min(literalLength - at, Long.BYTES);
      if (Ascii.word(buffer, offset + at, length) != literal[i]) {
        return false;
      }
    }
    return true;
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
