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

  /** Returns null for a command without patterns. */
  static @Nullable PatternArguments of(String command) {
    return switch (command) {
      case "keys", "psubscribe" -> new PatternArguments(1, null);
      case "config|get", "pubsub|channels", "pubsub|shardchannels" -> new PatternArguments(2, null);
      case "command|list" -> new PatternArguments(3, "pattern");
      case "function|list" -> new PatternArguments(2, "libraryname");
      case "scan" -> new PatternArguments(2, "match");
      case "hscan", "sscan", "zscan" -> new PatternArguments(3, "match");
      default -> null;
    };
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
