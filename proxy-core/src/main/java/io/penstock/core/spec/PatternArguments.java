package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import org.jspecify.annotations.Nullable;

/**
 * Which arguments of a command are glob patterns. Nodes match them against all keys or names, and
 * Penstock against its own names.
 *
 * @param from without a keyword, the first argument of the patterns; with one, the first argument
 *     where the keyword may be
 * @param keyword the option that precedes a pattern; null if all arguments from {@code from} on are
 *     patterns
 */
record PatternArguments(int from, @Nullable String keyword) {

  /** Parses {@code FROM[:KEYWORD]}. */
  static PatternArguments parse(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? new PatternArguments(Integer.parseInt(text), null)
        : new PatternArguments(
            Integer.parseInt(text.substring(0, colon)), text.substring(colon + 1));
  }

  /** Returns whether a pattern is longer than {@link Glob#MAX_LENGTH}. */
  boolean isTooLong(RequestFrame frame) {
    if (frame.end() - frame.start() <= Glob.MAX_LENGTH) {
      return false;
    }
    for (int i = from; i < frame.argc(); i++) {
      if (frame.length(i) > Glob.MAX_LENGTH && isPattern(frame, i)) {
        return true;
      }
    }
    return false;
  }

  private boolean isPattern(RequestFrame frame, int i) {
    return keyword == null || (i > from && Ascii.equalsIgnoreCase(frame, i - 1, keyword));
  }
}
