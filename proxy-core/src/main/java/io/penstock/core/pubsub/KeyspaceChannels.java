package io.penstock.core.pubsub;

import io.penstock.core.spec.Glob;

/**
 * Keyspace notifications (notify.c): {@code __keyspace@<db>__:<key>} and {@code
 * __keyevent@<db>__:<event>}. A server publishes them to its own clients only, not over the cluster
 * bus, so a subscriber that wants all of them needs a subscription at every master.
 */
final class KeyspaceChannels {

  private static final String KEYSPACE = "__keyspace@";
  private static final String KEYEVENT = "__keyevent@";

  // The positions in a name behind the prefix; one bit each.
  private static final int NO_DIGIT = 1;
  private static final int DIGITS = 2;
  private static final int UNDERSCORE = 4;
  private static final int UNDERSCORES = 8;

  private KeyspaceChannels() {}

  /** Whether the channel is for keyspace notifications. */
  static boolean isKeyspaceChannel(String channel) {
    return channel.startsWith(KEYSPACE) || channel.startsWith(KEYEVENT);
  }

  /** Whether the pattern matches at least one channel for keyspace notifications. */
  static boolean canMatch(String pattern) {
    Glob glob = Glob.exact(pattern);
    return matchesSome(glob, KEYSPACE) || matchesSome(glob, KEYEVENT);
  }

  /**
   * Matches the pattern against all names of the form {@code prefix digits __:} at once. Any
   * characters may follow in a name, so a star that is reached matches: it can stand for the rest
   * of the name. Up to the first star each element is one character, so each element is examined
   * once.
   */
  private static boolean matchesSome(Glob glob, String prefix) {
    for (int i = 0; i < prefix.length(); i++) {
      if (i == glob.size()) {
        return false;
      }
      if (glob.isStar(i)) {
        return true;
      }
      if (!glob.accepts(i, prefix.charAt(i))) {
        return false;
      }
    }
    return matchesRest(glob, prefix.length());
  }

  private static boolean matchesRest(Glob glob, int from) {
    int states = NO_DIGIT;
    for (int i = from; i < glob.size() && states != 0; i++) {
      if (glob.isStar(i) || ((states & UNDERSCORES) != 0 && glob.accepts(i, ':'))) {
        return true;
      }
      states = next(glob, i, states);
    }
    return false;
  }

  /** Returns the states behind element {@code i}. */
  private static int next(Glob glob, int i, int states) {
    int next = 0;
    if ((states & (NO_DIGIT | DIGITS)) != 0 && acceptsDigit(glob, i)) {
      next |= DIGITS;
    }
    if ((states & (DIGITS | UNDERSCORE)) != 0 && glob.accepts(i, '_')) {
      next |= (states & (DIGITS | UNDERSCORE)) << 1;
    }
    return next;
  }

  private static boolean acceptsDigit(Glob glob, int i) {
    for (char digit = '0'; digit <= '9'; digit++) {
      if (glob.accepts(i, digit)) {
        return true;
      }
    }
    return false;
  }
}
