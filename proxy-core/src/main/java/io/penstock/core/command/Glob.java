package io.penstock.core.command;

/**
 * Redis's glob patterns ({@code stringmatchlen} in util.c), ignoring case: {@code *}, {@code ?},
 * {@code [a-c]}, {@code [^abc]} and {@code \} before a special character. Only the last star is
 * ever tried again, which is enough, so a hostile pattern costs pattern times text at most.
 */
final class Glob {

  private final String pattern;
  private int classEnd;

  Glob(String pattern) {
    this.pattern = pattern;
  }

  boolean matches(String text) {
    int p = 0;
    int t = 0;
    int afterStar = -1;
    int retryAt = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        afterStar = ++p;
        retryAt = t;
      } else if (p < pattern.length() && matchesOne(p, text.charAt(t))) {
        p = classEnd;
        t++;
      } else if (afterStar >= 0) {
        p = afterStar;
        t = ++retryAt;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  /**
   * Whether the element at {@code p} matches; leaves in {@code classEnd} where the next one begins.
   */
  private boolean matchesOne(int p, char c) {
    char first = pattern.charAt(p);
    if (first == '[') {
      return matchesClass(p + 1, c);
    }
    boolean escaped = first == '\\' && p + 1 < pattern.length();
    int at = escaped ? p + 1 : p;
    classEnd = at + 1;
    return (first == '?' && !escaped) || sameLetter(pattern.charAt(at), c);
  }

  private boolean matchesClass(int from, char c) {
    int p = from;
    boolean negated = p < pattern.length() && pattern.charAt(p) == '^';
    if (negated) {
      p++;
    }
    boolean found = false;
    for (; p < pattern.length() && pattern.charAt(p) != ']'; p++) {
      if (pattern.charAt(p) == '\\' && p + 1 < pattern.length()) {
        found |= pattern.charAt(++p) == c;
      } else if (p + 2 < pattern.length() && pattern.charAt(p + 1) == '-') {
        found |= inRange(pattern.charAt(p), pattern.charAt(p + 2), c);
        p += 2;
      } else {
        found |= sameLetter(pattern.charAt(p), c);
      }
    }
    classEnd =
        Math.min(p + 1, pattern.length()); // A class that nobody closes ends with the pattern.
    return found != negated;
  }

  private static boolean inRange(char from, char to, char c) {
    int low = Ascii.toLower(Math.min(from, to));
    int high = Ascii.toLower(Math.max(from, to));
    int lower = Ascii.toLower(c);
    return lower >= low && lower <= high;
  }

  private static boolean sameLetter(char a, char b) {
    return Ascii.toLower(a) == Ascii.toLower(b);
  }
}
