package io.penstock.core.prefix;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.SortPatterns;

/**
 * The arguments of {@code SORT}, read exactly as a server executes them ({@code sortCommandGeneric}
 * in sort.c), which is not how it finds the keys of {@code COMMAND GETKEYS}: {@code STORE by STORE
 * key} stores in the second one. Behind an argument that a server does not accept nothing matters.
 */
final class SortArguments {

  private SortArguments() {}

  /** Returns whether patterns name keys. */
  static boolean havePatterns(RequestFrame frame) {
    boolean found = false;
    for (int i = 2; i < frame.argc(); i = next(frame, i)) {
      found |= isPattern(frame, i);
    }
    return found;
  }

  /** Puts the prefix in front of the keys and the patterns. */
  static PrefixedRequest prefixed(RequestFrame frame, PrefixedRequest into) {
    into.key(1);
    for (int i = 2; i < frame.argc(); i = next(frame, i)) {
      if (isStore(frame, i) || isPattern(frame, i)) {
        into.key(i + 1);
      }
    }
    return into;
  }

  /** Returns the index of the next option; the end if a server rejects this one. */
  private static int next(RequestFrame frame, int option) {
    int arguments = arguments(frame, option);
    return arguments < 0 || option + arguments >= frame.argc()
        ? frame.argc()
        : option + 1 + arguments;
  }

  private static int arguments(RequestFrame frame, int option) {
    if (Ascii.equalsIgnoreCase(frame, option, "asc")
        || Ascii.equalsIgnoreCase(frame, option, "desc")
        || Ascii.equalsIgnoreCase(frame, option, "alpha")) {
      return 0;
    }
    if (Ascii.equalsIgnoreCase(frame, option, "limit")) {
      return 2;
    }
    return isStore(frame, option) || isBy(frame, option) || isGet(frame, option) ? 1 : -1;
  }

  private static boolean isStore(RequestFrame frame, int option) {
    return option + 1 < frame.argc() && Ascii.equalsIgnoreCase(frame, option, "store");
  }

  private static boolean isBy(RequestFrame frame, int option) {
    return option + 1 < frame.argc() && Ascii.equalsIgnoreCase(frame, option, "by");
  }

  private static boolean isGet(RequestFrame frame, int option) {
    return option + 1 < frame.argc() && Ascii.equalsIgnoreCase(frame, option, "get");
  }

  /** {@code BY nosort} and {@code GET #} name no keys. */
  private static boolean isPattern(RequestFrame frame, int option) {
    return (isBy(frame, option)
            && SortPatterns.literal(frame, option + 1) < frame.length(option + 1))
        || (isGet(frame, option) && !Ascii.equalsIgnoreCase(frame, option + 1, "#"));
  }
}
