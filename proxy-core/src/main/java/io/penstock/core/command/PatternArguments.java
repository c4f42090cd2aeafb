package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.Glob;
import org.jspecify.annotations.Nullable;

/**
 * Which arguments of a command are glob patterns. Nodes try them on each of their names, and
 * Penstock on its own.
 *
 * @param from the argument from which on all are; or after which one that follows {@code keyword}
 *     is
 * @param keyword an option of the command; null if there is none
 */
record PatternArguments(int from, @Nullable String keyword) {

  /** Null for a command without any. */
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

  /** Whether one of them is longer than {@link Glob#MAX_LENGTH}. */
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
