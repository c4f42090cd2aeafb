package io.penstock.core.copies;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * What an error reply of a copy means for the request that it answers.
 *
 * @param kind what to do
 * @param text the line without its {@code -}, as log lines may show it: without arguments of users
 */
record CopyError(Kind kind, String text) {

  private static final int LONGEST_TEXT = 120;

  private static final Set<String> REDIRECTS = Set.of("MOVED", "ASK");

  private static final Set<String> NOT_NOW =
      Set.of("LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY");

  private static final Set<String> REFUSED =
      Set.of("OOM", "MISCONF", "NOREPLICAS", "NOPERM", "NOAUTH", "WRONGPASS");

  /** Kinds of errors. */
  enum Kind {
    /** It did not run: another node has the key. */
    REDIRECT,
    /** It did not run, and may later. */
    NOT_NOW,
    /** The copy refuses writes, this one and probably the next. */
    REFUSED,
    /** It failed, or ran in part. */
    FAILED
  }

  /** Returns whether a replica has answered. */
  boolean isOfReplica() {
    return text.startsWith("READONLY") || text.startsWith("MASTERDOWN");
  }

  /** Returns whether the cluster does not serve the slot, or nothing at all. */
  boolean isOfCluster() {
    return text.startsWith("CLUSTERDOWN");
  }

  /** Reads an error line, with its {@code -} and perhaps its CR LF. */
  static CopyError of(byte[] line) {
    String text = new String(line, StandardCharsets.ISO_8859_1).strip();
    text = text.startsWith("-") ? text.substring(1) : text;
    int end = text.indexOf(' ');
    String word = end < 0 ? text : text.substring(0, end);
    return new CopyError(kind(word), shown(word, text));
  }

  private static Kind kind(String word) {
    if (REDIRECTS.contains(word)) {
      return Kind.REDIRECT;
    }
    if (NOT_NOW.contains(word)) {
      return Kind.NOT_NOW;
    }
    return REFUSED.contains(word) ? Kind.REFUSED : Kind.FAILED;
  }

  /** Servers repeat names and arguments between quotation marks, and addresses in redirects. */
  private static String shown(String word, String text) {
    if (REDIRECTS.contains(word)) {
      return word;
    }
    String plain = text;
    for (char quote : new char[] {'\'', '"', '`'}) {
      int at = plain.indexOf(" " + quote);
      plain = at < 0 ? plain : plain.substring(0, at);
    }
    return plain.length() > LONGEST_TEXT ? plain.substring(0, LONGEST_TEXT) : plain;
  }
}
