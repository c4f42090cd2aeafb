package io.penstock.core.command;

/**
 * Redis's glob patterns ({@code stringmatchlen} in util.c): {@code *}, {@code ?}, {@code [a-c]},
 * {@code [^abc]} and {@code \} before a special character. Only the last star is ever tried again,
 * which is enough, so a hostile pattern costs pattern times text at most. Characters are bytes, one
 * to one. Not thread-safe.
 */
public final class Glob {

  /** What {@link #next} answers when there is no way on. */
  public static final int NO_MATCH = -1;

  private final String pattern;
  private final boolean ignoresCase;
  private int classEnd;

  private Glob(String pattern, boolean ignoresCase) {
    this.pattern = pattern;
    this.ignoresCase = ignoresCase;
  }

  /** Case matters, as for keys and channels. */
  public static Glob exact(String pattern) {
    return new Glob(pattern, false);
  }

  /** Case does not matter, as for names of commands and settings. */
  public static Glob ignoringCase(String pattern) {
    return new Glob(pattern, true);
  }

  /** Length of the pattern: the position behind its last element. */
  public int length() {
    return pattern.length();
  }

  /** Whether the element at position {@code p} is a star. */
  public boolean isStar(int p) {
    return pattern.charAt(p) == '*';
  }

  /**
   * The position behind the element at {@code p}, which is no star, if it matches {@code c}; else
   * {@link #NO_MATCH}.
   */
  public int next(int p, char c) {
    return matchesOne(p, c) ? classEnd : NO_MATCH;
  }

  /** Whether the whole text matches. */
  public boolean matches(String text) {
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

  private boolean inRange(char from, char to, char c) {
    int low = folded(Math.min(from, to));
    int high = folded(Math.max(from, to));
    int wanted = folded(c);
    return wanted >= low && wanted <= high;
  }

  private boolean sameLetter(char a, char b) {
    return folded(a) == folded(b);
  }

  private int folded(int c) {
    return ignoresCase ? Ascii.toLower(c) : c;
  }
}
