package io.penstock.core.command;

/**
 * {@code stringmatchlen} of Redis 7.0's util.c, line by line. Characters are unsigned, as on
 * platforms with an unsigned C {@code char}. A string is followed by a NUL.
 */
public final class RedisGlob {

  private final String pattern;
  private final String string;
  private final boolean nocase;
  private int p;

  private RedisGlob(String pattern, String string, boolean nocase) {
    this.pattern = pattern;
    this.string = string;
    this.nocase = nocase;
  }

  public static boolean matches(String pattern, String string, boolean nocase) {
    return new RedisGlob(pattern, string, nocase).matches(0);
  }

  private char at(int i) {
    return i < pattern.length() ? pattern.charAt(i) : 0;
  }

  private int left() {
    return pattern.length() - p;
  }

  private char folded(char c) {
    return nocase && c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c;
  }

  private boolean matches(int from) {
    int s = from;
    while (left() > 0 && s < string.length()) {
      switch (at(p)) {
        case '*' -> {
          return star(s);
        }
        case '?' -> s++;
        case '[' -> {
          if (!inClass(string.charAt(s++))) {
            return false;
          }
        }
        default -> {
          if (at(p) == '\\' && left() >= 2) {
            p++;
          }
          if (folded(at(p)) != folded(string.charAt(s++))) {
            return false;
          }
        }
      }
      p++;
      if (s == string.length()) {
        while (at(p) == '*') {
          p++;
        }
        break;
      }
    }
    return left() == 0 && s == string.length();
  }

  private boolean star(int from) {
    while (left() > 0 && at(p + 1) == '*') {
      p++;
    }
    if (left() == 1) {
      return true;
    }
    for (int s = from; s < string.length(); s++) {
      if (matches(pattern.substring(p + 1), string.substring(s), nocase)) {
        return true;
      }
    }
    return false;
  }

  private boolean inClass(char c) {
    p++;
    boolean not = at(p) == '^';
    if (not) {
      p++;
    }
    boolean match = false;
    while (true) {
      if (left() >= 2 && at(p) == '\\') {
        p++;
        match |= at(p) == c;
      } else if (left() > 0 && at(p) == ']') {
        break;
      } else if (left() == 0) {
        p--;
        break;
      } else if (left() >= 3 && at(p + 1) == '-') {
        char start = folded((char) Math.min(at(p), at(p + 2)));
        char end = folded((char) Math.max(at(p), at(p + 2)));
        p += 2;
        match |= folded(c) >= start && folded(c) <= end;
      } else {
        match |= folded(at(p)) == folded(c);
      }
      p++;
    }
    return match != not;
  }
}
