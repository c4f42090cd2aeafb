package io.penstock.core.spec;

import io.netty.buffer.ByteBuf;

/**
 * Redis's glob patterns ({@code stringmatchlen} in util.c): {@code *}, {@code ?}, {@code [a-c]},
 * {@code [^abc]} and {@code \} before a special character. A pattern is parsed once, in time
 * proportional to its length, and then matched element by element: a class costs one step at any
 * length, and a run of stars is one star. Characters are bytes, one to one. Immutable.
 */
public final class Glob {

  /**
   * The longest pattern in bytes that clients may send. Keys and channels of more than 1,024 bytes
   * are called a bad idea by Redis's documentation; this is enough for a name of 2,048 bytes with
   * each byte escaped. Servers match a pattern against every name they have, and those without the
   * fix of CVE-2024-31228 recurse for each star until the stack overflows.
   */
  public static final int MAX_LENGTH = 4_096;

  private static final int STAR = -1;
  private static final int ANY = -2;
  private static final int FIRST_CLASS = -3; // the others count down from it

  private final int[] elements; // characters, or one of the above
  private final int size;
  private final long[] classes;
  private final boolean ignoresCase;

  private Glob(String pattern, boolean ignoresCase) {
    var reader = new GlobReader(pattern, ignoresCase);
    this.elements = new int[pattern.length()];
    this.ignoresCase = ignoresCase;
    int count = 0;
    while (reader.hasMore()) {
      int element = element(reader);
      if (element != STAR || count == 0 || elements[count - 1] != STAR) {
        elements[count++] = element;
      }
    }
    this.size = count;
    this.classes = reader.classes();
  }

  private static int element(GlobReader reader) {
    return switch (reader.next()) {
      case STAR -> STAR;
      case ANY -> ANY;
      case CLASS -> FIRST_CLASS - reader.lastClass();
      case CHARACTER -> reader.character();
    };
  }

  /** Returns a pattern that is case-sensitive, as for keys and channels. */
  public static Glob exact(String pattern) {
    return new Glob(pattern, false);
  }

  /** Returns a pattern that ignores case, as for names of commands and settings. */
  public static Glob ignoringCase(String pattern) {
    return new Glob(pattern, true);
  }

  /** Returns the number of elements; a run of stars is one. */
  public int size() {
    return size;
  }

  /** Returns whether element {@code i} is a star. */
  public boolean isStar(int i) {
    return elements[i] == STAR;
  }

  /** Returns whether element {@code i}, which is not a star, accepts the character. */
  public boolean accepts(int i, char c) {
    int element = elements[i];
    if (element >= 0) {
      return element == (ignoresCase ? Ascii.toLower(c) : c);
    }
    return element == ANY || GlobReader.contains(classes, FIRST_CLASS - element, c);
  }

  /** Returns whether the whole text matches. */
  public boolean matches(String text) {
    var match = new GlobMatch(this, text);
    while (match.step(Integer.MAX_VALUE) == GlobMatch.UNDECIDED) {
      // more steps are needed
    }
    return match.isMatch();
  }

  /**
   * Returns whether all of these bytes match. Allocates nothing. Borrows the buffer.
   *
   * @param length if it is 0, only an empty pattern matches: a star does not, as in Redis
   */
  public boolean matches(ByteBuf buffer, int offset, int length) {
    int element = 0;
    int at = 0;
    int afterStar = -1;
    int retryAt = 0;
    while (at < length) {
      if (element < size && elements[element] == STAR) {
        afterStar = ++element;
        retryAt = at;
        if (element == size) {
          return true;
        }
      } else if (element < size && accepts(element, (char) buffer.getUnsignedByte(offset + at))) {
        element++;
        at++;
      } else if (afterStar >= 0) {
        element = afterStar;
        at = ++retryAt;
      } else {
        return false;
      }
    }
    return element == size || (length > 0 && element == size - 1 && elements[element] == STAR);
  }
}
