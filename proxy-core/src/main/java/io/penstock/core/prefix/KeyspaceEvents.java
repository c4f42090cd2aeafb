package io.penstock.core.prefix;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;

/**
 * The channels of keyspace notifications, which tell of all keys: {@code __keyspace@0__:key} and
 * {@code __keyevent@0__:del}. Newer servers have more that begin alike.
 */
final class KeyspaceEvents {

  private static final String BEGIN = "__";

  private KeyspaceEvents() {}

  /**
   * Returns whether a request subscribes to such a channel, or to a pattern that may match one: it
   * is compared up to its first special character.
   */
  static boolean maySubscribe(RequestFrame frame, CommandSpec spec) {
    boolean patterns = isOf(spec, LocalCommand.PSUBSCRIBE);
    if (!patterns && !isOf(spec, LocalCommand.SUBSCRIBE)) {
      return false;
    }
    for (int i = 1; i < frame.argc(); i++) {
      if (mayBeNamed(frame, i, patterns)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOf(CommandSpec spec, LocalCommand which) {
    return spec.handling() instanceof Handling.Local(LocalCommand own) && own == which;
  }

  private static boolean mayBeNamed(RequestFrame frame, int argument, boolean isPattern) {
    for (int i = 0; i < BEGIN.length(); i++) {
      if (i == frame.length(argument)) {
        return false;
      }
      byte b = frame.buffer().getByte(frame.offset(argument) + i);
      if (isPattern && (b == '*' || b == '?' || b == '[' || b == '\\')) {
        return true;
      }
      if (b != BEGIN.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
