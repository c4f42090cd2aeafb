package io.penstock.core.spec;

import java.util.Arrays;

/** Parses the elements of a pattern one by one. Not thread-safe. */
final class GlobReader {

  /** The kind of an element. */
  enum Kind {
    STAR,
    ANY,
    CLASS,
    CHARACTER
  }

  private static final int WORDS = 4; // of a class: one bit for each byte value

  /** The capital letters in the second word of a class; the small letters are 32 bits above. */
  private static final long CAPITALS = (1L << ('Z' - 63)) - (1L << ('A' - 64));

  private final String pattern;
  private final boolean ignoresCase;
  private int at;
  private int character;
  private long[] classes = {};
  private int classCount;
  private long escapedLetters; // in the current class, as in its second word

  GlobReader(String pattern, boolean ignoresCase) {
    this.pattern = pattern;
    this.ignoresCase = ignoresCase;
  }

  boolean hasMore() {
    return at < pattern.length();
  }

  /** Returns the character that was read last, in lower case if case is ignored. */
  int character() {
    return character;
  }

  /** Returns the number of the class that was read last, from 0. */
  int lastClass() {
    return classCount - 1;
  }

  /** Returns the bits of all classes. */
  long[] classes() {
    return classes;
  }

  /** Returns whether a class contains the character. */
  static boolean contains(long[] classes, int number, char c) {
    return c < WORDS * Long.SIZE && (classes[number * WORDS + (c >> 6)] & (1L << c)) != 0;
  }

  /** Reads one element. */
  Kind next() {
    char first = pattern.charAt(at++);
    return switch (first) {
      case '*' -> Kind.STAR;
      case '?' -> Kind.ANY;
      case '[' -> readClass();
      default -> readCharacter(first);
    };
  }

  private Kind readCharacter(char first) {
    boolean escapes = first == '\\' && hasMore();
    character = folded(escapes ? pattern.charAt(at++) : first);
    return Kind.CHARACTER;
  }

  /** Reads a class; one that is not closed ends with the pattern. */
  private Kind readClass() {
    int number = classCount++;
    if (classes.length < classCount * WORDS) {
      classes = Arrays.copyOf(classes, number * 2 * WORDS + WORDS);
    }
    escapedLetters = 0;
    boolean negated = hasMore() && pattern.charAt(at) == '^';
    if (negated) {
      at++;
    }
    for (; hasMore() && pattern.charAt(at) != ']'; at++) {
      readMember(number * WORDS);
    }
    at++;
    if (ignoresCase) {
      ignoreCase(number * WORDS + 1);
    }
    if (negated) {
      for (int word = number * WORDS; word < classCount * WORDS; word++) {
        classes[word] = ~classes[word];
      }
    }
    return Kind.CLASS;
  }

  private void readMember(int start) {
    char c = pattern.charAt(at);
    if (c == '\\' && at + 1 < pattern.length()) {
      addEscaped(start, pattern.charAt(++at));
    } else if (at + 2 < pattern.length() && pattern.charAt(at + 1) == '-') {
      char end = pattern.charAt(at + 2);
      addRange(start, folded(Math.min(c, end)), folded(Math.max(c, end)));
      at += 2;
    } else {
      add(start, folded(c));
    }
  }

  private void add(int start, int c) {
    if (c < WORDS * Long.SIZE) {
      classes[start + (c >> 6)] |= 1L << c;
    }
  }

  /** Adds an escaped character, which Redis does not fold within a class. */
  private void addEscaped(int start, int c) {
    if (ignoresCase && c >> 6 == 1) {
      escapedLetters |= 1L << c;
    } else {
      add(start, c);
    }
  }

  private void addRange(int start, int low, int high) {
    for (int word = low >> 6; word < WORDS && word << 6 <= high; word++) {
      long from = word << 6 >= low ? -1L : -1L << low;
      long to = (word << 6) + 63 <= high ? -1L : (1L << (high + 1)) - 1;
      classes[start + word] |= from & to;
    }
  }

  /** Adds a capital letter if the class has its small letter; nothing is folded to a capital. */
  private void ignoreCase(int word) {
    long letters = classes[word];
    classes[word] = (letters & ~CAPITALS) | ((letters >>> 32) & CAPITALS) | escapedLetters;
  }

  private int folded(int c) {
    return ignoresCase ? Ascii.toLower(c) : c;
  }
}
