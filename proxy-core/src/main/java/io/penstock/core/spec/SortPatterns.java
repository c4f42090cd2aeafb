package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import java.util.List;

/** The patterns of {@code SORT} and {@code SORT_RO}, which name keys: {@code BY w_* GET o_*->f}. */
public final class SortPatterns {

  /** There is no pattern. */
  public static final int NONE = -1;

  /** The options of {@code SORT} that have arguments. */
  static final List<Option> OPTIONS =
      List.of(new Option("limit", 2), new Option("get", 1), new Option("by", 1));

  private static final List<Option> WITH_STORE =
      List.of(
          new Option("limit", 2),
          new Option("get", 1),
          new Option("by", 1),
          new Option("store", 1));

  private SortPatterns() {}

  /**
   * Returns the first argument from {@code from} on that names keys; {@link #NONE} if there is
   * none. Without a {@code *} it names none.
   */
  public static int next(RequestFrame frame, int from) {
    return next(frame, from, false);
  }

  /**
   * Like {@link #next}, for what a node of a cluster checks: {@code GET} without a star as well.
   */
  public static int nextChecked(RequestFrame frame, int from) {
    return next(frame, from, true);
  }

  /**
   * Returns the first argument from {@code from} on for which servers ask whether the user may read
   * all keys: of {@code BY} with a star, and of every {@code GET}.
   */
  public static int nextRestricted(RequestFrame frame, int from) {
    int i = from;
    while (i < frame.argc()) {
      int arguments = Option.arguments(WITH_STORE, frame, i);
      if (i + 1 < frame.argc()
          && (Ascii.equalsIgnoreCase(frame, i, "get")
              || (Ascii.equalsIgnoreCase(frame, i, "by") && isPattern(frame, i + 1)))) {
        return i + 1;
      }
      i += 1 + Math.max(0, arguments);
    }
    return NONE;
  }

  private static int next(RequestFrame frame, int from, boolean constants) {
    int i = from;
    while (i < frame.argc()) {
      int arguments = Option.arguments(WITH_STORE, frame, i);
      if (arguments == 1
          && i + 1 < frame.argc()
          && !Ascii.equalsIgnoreCase(frame, i, "store")
          && (isPattern(frame, i + 1) || (constants && isConstant(frame, i + 1)))) {
        return i + 1;
      }
      i += 1 + Math.max(0, arguments);
    }
    return NONE;
  }

  private static boolean isPattern(RequestFrame frame, int argument) {
    return literal(frame, argument) < frame.length(argument);
  }

  private static boolean isConstant(RequestFrame frame, int argument) {
    return Ascii.equalsIgnoreCase(frame, argument - 1, "get")
        && !Ascii.equalsIgnoreCase(frame, argument, "#");
  }

  /** Returns how many bytes of a pattern precede its first {@code *}. */
  public static int literal(RequestFrame frame, int argument) {
    int offset = frame.offset(argument);
    int length = frame.length(argument);
    int star = frame.buffer().indexOf(offset, offset + length, (byte) '*');
    return star < 0 ? length : star - offset;
  }

  /** Returns the error of a cluster for a pattern whose keys may be on other nodes. */
  public static String error(RequestFrame frame, int argument) {
    return "ERR "
        + (Ascii.equalsIgnoreCase(frame, argument - 1, "by") ? "BY" : "GET")
        + " option of SORT denied in cluster mode when keys formed by the pattern may be in"
        + " different slots.";
  }
}
