package io.penstock.core.prefix;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;

/** The arguments of {@code SCAN}: a cursor, and options with one argument each. */
final class ScanArguments {

  private static final int FIRST_OPTION = 2;

  private ScanArguments() {}

  /** Returns whether all options are known. */
  static boolean areValid(RequestFrame frame) {
    for (int i = FIRST_OPTION; i < frame.argc(); i += 2) {
      boolean known =
          isMatch(frame, i)
              || Ascii.equalsIgnoreCase(frame, i, "count")
              || Ascii.equalsIgnoreCase(frame, i, "type");
      if (!known || i + 1 == frame.argc()) {
        return false;
      }
    }
    return true;
  }

  /** Has it find keys with the prefix only. The arguments are valid. */
  static PrefixedRequest prefixed(RequestFrame frame, PrefixedRequest into) {
    boolean matches = false;
    for (int i = FIRST_OPTION; i < frame.argc(); i += 2) {
      if (isMatch(frame, i)) {
        into.pattern(i + 1);
        matches = true;
      }
    }
    return matches ? into : into.addMatch();
  }

  private static boolean isMatch(RequestFrame frame, int option) {
    return Ascii.equalsIgnoreCase(frame, option, "match");
  }
}
