package io.penstock.core.acl;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import java.util.List;

/**
 * The patterns of a selector, for keys or for channels. The first eight bytes of a name are
 * compared with all patterns before any of them is matched. Immutable.
 */
final class NamePatterns {

  private final NamePattern[] patterns;
  private final byte[] accesses; // of each pattern
  private final long[] words; // the first eight bytes that are literal
  private final long[] masks;

  /**
   * @param texts the patterns, one character per byte
   * @param accesses what each of them permits: bits as in {@link KeyAccesses}
   */
  NamePatterns(List<String> texts, byte[] accesses) {
    this.accesses = accesses;
    patterns = texts.stream().map(NamePattern::of).toArray(NamePattern[]::new);
    words = new long[patterns.length];
    masks = new long[patterns.length];
    for (int i = 0; i < patterns.length; i++) {
      words[i] = patterns[i].firstWord();
      masks[i] = patterns[i].firstMask();
    }
  }

  /** Returns whether an argument matches a pattern that permits this access. */
  boolean permit(RequestFrame frame, int argument, int access) {
    ByteBuf buffer = frame.buffer();
    int offset = frame.offset(argument);
    int length = frame.length(argument);
    long first = Ascii.word(buffer, offset, Math.min(length, Long.BYTES));
    for (int i = 0; i < words.length; i++) {
      if ((first & masks[i]) == words[i]
          && (accesses[i] & access) == access
          && patterns[i].matches(buffer, offset, length)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether an argument is one of the patterns as it is written. */
  boolean contain(RequestFrame frame, int argument) {
    for (NamePattern pattern : patterns) {
      if (pattern.isWritten(frame.buffer(), frame.offset(argument), frame.length(argument))) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a name matches a pattern or, if it is a pattern, is one of them. */
  boolean permit(String name, boolean isPattern) {
    for (NamePattern pattern : patterns) {
      if (isPattern ? pattern.text().equals(name) : pattern.matches(name)) {
        return true;
      }
    }
    return false;
  }
}
