package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers that one client appends to one or more lists, each number to all of them. When the lists
 * are long enough and no fault is active, they are checked and deleted and new ones begin: so a run
 * may take any time.
 */
final class AppendedLists {

  private static final int LENGTH = 10_000;
  private static final long CALM_NANOS = 1_000_000_000;
  private static final Pattern BULK = Pattern.compile("\\$(\\d+)\r\n(\\d+)\r\n");

  private final WorkloadClient client;
  private final String what;
  private final List<String> keys;
  private int generation;
  private WriteHistory history = new WriteHistory();
  private int acknowledged;

  /**
   * @param keys prefixes of the keys of the lists
   */
  AppendedLists(WorkloadClient client, String what, String... keys) {
    this.client = client;
    this.what = what;
    this.keys = List.of(keys);
  }

  String key(int list) {
    return key(keys.get(list));
  }

  private String key(String prefix) {
    return prefix + ":" + generation;
  }

  private List<String[]> readAll() {
    return keys.stream().map(key -> new String[] {"LRANGE", key(key), "0", "-1"}).toList();
  }

  /** Returns the number to append after {@code more} others. */
  String number(int more) {
    return Integer.toString(history.size() + more);
  }

  /** Adds the next number; see {@link WriteHistory#add}. */
  void add(Outcome outcome, boolean replicated, long time) {
    history.add(outcome, replicated, time);
    if (outcome == Outcome.DONE) {
      acknowledged++;
    }
  }

  /**
   * Fails unless the length in a reply is possible after a number was appended: not less than all
   * acknowledged numbers and not more than all attempts.
   */
  void checkLength(String reply) {
    long length = Long.parseLong(reply.substring(1, reply.length() - 2));
    boolean least = client.timeline().mayLoseWrites(0, System.nanoTime()) || length > acknowledged;
    if (!least || length > history.size() + 1) {
      throw new AssertionError(
          what + ": length " + length + " after " + acknowledged + " of " + history.size());
    }
  }

  /** Starts new lists if these are long enough and no fault was active recently. */
  void rollOver() {
    long now = System.nanoTime();
    if (history.size() >= LENGTH && !client.timeline().anyActive(now - CALM_NANOS, now)) {
      try (ClientConnection connection = client.openConnection()) {
        List<String> replies = connection.exchange(readAll());
        if (replies.stream().noneMatch(reply -> reply.startsWith("-"))) {
          check(replies);
          keys.forEach(
              key -> connection.exchange(List.<String[]>of(new String[] {"DEL", key(key)})));
          generation++;
          history = new WriteHistory();
          acknowledged = 0;
        }
      } catch (ClientConnection.ConnectionLost e) {
        // a fault has begun: try again later
      }
    }
  }

  /** Checks the lists at the end of a run. */
  void verify(ClientConnection fresh) {
    check(fresh.exchange(readAll()));
  }

  private void check(List<String> replies) {
    long now = System.nanoTime();
    List<Integer> first = numbers(replies.getFirst());
    for (String other : replies) {
      if (!numbers(other).equals(first)) {
        throw new AssertionError(what + ": only half of a transaction was run: " + keys);
      }
    }
    FaultTimeline timeline = client.timeline();
    history.check(
        what,
        first,
        client.counts(),
        (time, replicated) -> !replicated && timeline.mayLoseWrites(time, now));
  }

  static List<Integer> numbers(String reply) {
    if (reply.charAt(0) != '*') {
      throw new AssertionError("not a list: " + reply);
    }
    List<Integer> numbers = new ArrayList<>();
    Matcher bulk = BULK.matcher(reply);
    while (bulk.find()) {
      numbers.add(Integer.valueOf(bulk.group(2)));
    }
    return numbers;
  }
}
