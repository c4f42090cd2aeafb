package io.penstock.core.pubsub;

import io.penstock.core.command.Glob;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Keyspace notifications (notify.c): {@code __keyspace@<db>__:<key>} and {@code
 * __keyevent@<db>__:<event>}. A server publishes them to its own clients only, not over the cluster
 * bus, so whoever wants all of them listens to every master.
 */
final class KeyspaceChannels {

  private static final List<String> PREFIXES = List.of("__keyspace@", "__keyevent@");
  private static final String DIGITS = "0123456789";

  private KeyspaceChannels() {}

  /** Whether a channel is one of them. */
  static boolean isOne(String channel) {
    return channel.startsWith(PREFIXES.get(0)) || channel.startsWith(PREFIXES.get(1));
  }

  /** Whether a pattern matches at least one of them. */
  static boolean someMatch(String pattern) {
    Glob glob = Glob.exact(pattern);
    return PREFIXES.stream().anyMatch(prefix -> new Search(glob, prefix).succeeds());
  }

  /** A place in the pattern together with a place in what a channel's name may look like. */
  private record Place(int pattern, int name) {}

  /**
   * Walks through the pattern and through a name of the form {@code prefix digits __:} side by
   * side. Behind that a name may go on with anything, and so may the pattern.
   */
  private static final class Search {

    private final Glob glob;
    private final String prefix;
    private final Set<Place> seen = new HashSet<>();
    private final ArrayDeque<Place> open = new ArrayDeque<>();

    Search(Glob glob, String prefix) {
      this.glob = glob;
      this.prefix = prefix;
    }

    boolean succeeds() {
      reach(0, 0);
      while (!open.isEmpty()) {
        Place place = open.remove();
        if (place.name == end()) {
          return true;
        }
        String choices = choices(place.name);
        for (int i = 0; i < choices.length(); i++) {
          step(place, choices.charAt(i));
        }
      }
      return false;
    }

    /** Behind the prefix: no digit yet, some digits, {@code _}, {@code __}, {@code __:}. */
    private int end() {
      return prefix.length() + 4;
    }

    private String choices(int name) {
      return switch (name - prefix.length()) {
        case 0 -> DIGITS;
        case 1 -> DIGITS + "_";
        case 2 -> "_";
        case 3 -> ":";
        default -> prefix.substring(name, name + 1);
      };
    }

    private void step(Place from, char c) {
      boolean sameDigits = from.name == prefix.length() + 1 && c != '_';
      int name = sameDigits ? from.name : from.name + 1;
      if (from.pattern == glob.length()) {
        return;
      }
      if (glob.isStar(from.pattern)) {
        reach(from.pattern, name);
        return;
      }
      int next = glob.next(from.pattern, c);
      if (next != Glob.NO_MATCH) {
        reach(next, name);
      }
    }

    /** A star may also stand for nothing. */
    private void reach(int pattern, int name) {
      int at = pattern;
      while (seen.add(new Place(at, name))) {
        open.add(new Place(at, name));
        if (at == glob.length() || !glob.isStar(at)) {
          return;
        }
        at++;
      }
    }
  }
}
