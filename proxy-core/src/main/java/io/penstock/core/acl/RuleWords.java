package io.penstock.core.acl;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How servers divide rules into words. Texts have one character per byte. */
final class RuleWords {

  private RuleWords() {}

  /** Returns whether a text has a character that names and patterns must not have. */
  static boolean hasSpaces(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isSpace(text.charAt(i)) || text.charAt(i) == 0) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  /** Compares as C's {@code strcasecmp}. */
  static boolean equalsIgnoreCase(String text, String other) {
    return lowerCase(text).equals(other);
  }

  static String lowerCase(String text) {
    StringBuilder lower = new StringBuilder(text);
    for (int i = 0; i < lower.length(); i++) {
      char c = lower.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        lower.setCharAt(i, (char) (c | 0x20));
      }
    }
    return lower.toString();
  }

  /**
   * Joins the words of selectors that are spread over several rules: from one that begins with a
   * parenthesis to the one that ends with the other.
   *
   * @throws AclRuleException if a selector has no end
   */
  static List<String> joinSelectors(List<String> rules) throws AclRuleException {
    List<String> joined = new ArrayList<>();
    StringBuilder selector = null;
    String start = "";
    for (String rule : rules) {
      if (selector == null && rule.startsWith("(") && !rule.endsWith(")")) {
        selector = new StringBuilder(rule);
        start = rule;
      } else if (selector != null) {
        selector.append(' ').append(rule);
        if (rule.endsWith(")")) {
          joined.add(selector.toString());
          selector = null;
        }
      } else {
        joined.add(rule);
      }
    }
    if (selector != null) {
      throw AclRuleException.unmatched(start);
    }
    return joined;
  }

  /**
   * Splits the inside of a selector as {@code sdssplitargs}: at spaces, with quotes and escapes.
   * Returns null if quotes are unbalanced.
   */
  static @Nullable List<String> split(String text) {
    List<String> words = new ArrayList<>();
    int at = 0;
    while (true) {
      while (at < text.length() && isSpace(text.charAt(at))) {
        at++;
      }
      if (at == text.length()) {
        return words;
      }
      var word = new QuotedWord(text, at);
      at = word.read();
      if (at < 0) {
        return null;
      }
      words.add(word.text());
    }
  }

  /** Reads one word that may have quoted parts. */
  private static final class QuotedWord {

    private final String text;
    private final StringBuilder word = new StringBuilder();
    private int at;

    QuotedWord(String text, int at) {
      this.text = text;
      this.at = at;
    }

    String text() {
      return word.toString();
    }

    /** Returns the index after the word; negative if a quote is not closed or text follows it. */
    int read() {
      while (at < text.length() && !isSpace(text.charAt(at)) && text.charAt(at) != 0) {
        char c = text.charAt(at++);
        if (c == '"' || c == '\'') {
          return readQuoted(c) && (at == text.length() || isSpace(text.charAt(at))) ? at : -1;
        }
        word.append(c);
      }
      return text.length() > at && text.charAt(at) == 0 ? text.length() : at;
    }

    private boolean readQuoted(char quote) {
      while (at < text.length()) {
        char c = text.charAt(at++);
        if (c == quote) {
          return true;
        }
        if (c == '\\' && at < text.length()) {
          readEscaped(quote);
        } else {
          word.append(c);
        }
      }
      return false;
    }

    private void readEscaped(char quote) {
      char c = text.charAt(at);
      if (quote == '\'') {
        word.append(c == '\'' ? c : '\\');
        at += c == '\'' ? 1 : 0;
      } else if (c == 'x' && hexDigit(at + 1) >= 0 && hexDigit(at + 2) >= 0) {
        word.append((char) (hexDigit(at + 1) * 16 + hexDigit(at + 2)));
        at += 3;
      } else {
        word.append(escaped(c));
        at++;
      }
    }

    private int hexDigit(int index) {
      return index < text.length() ? Character.digit(text.charAt(index), 16) : -1;
    }

    private static char escaped(char c) {
      return switch (c) {
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'b' -> '\b';
        case 'a' -> 0x07;
        default -> c;
      };
    }
  }
}
