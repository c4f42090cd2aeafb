package io.penstock.server.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers that one client appends to one or more lists, all to all of them. A chapter that is long
 * enough is checked and removed in calm weather, so that a run may take as long as it likes.
 */
final class AppendedLists {

  private static final int LENGTH = 10_000;
  private static final long CALM_NANOS = 1_000_000_000;
  private static final Pattern BULK = Pattern.compile("\\$(\\d+)\r\n(\\d+)\r\n");

  private final WorkloadClient client;
  private final String what;
  private final List<String> keys;
  private int chapter;
  private WriteHistory ledger = new WriteHistory();
  private int acknowledged;

  /**
   * @param keys beginnings of the lists' names
   */
  AppendedLists(WorkloadClient client, String what, String... keys) {
    this.client = client;
    this.what = what;
    this.keys = List.of(keys);
  }

  String key(int list) {
    return key(keys.get(list));
  }

  private String key(String beginning) {
    return beginning + ":" + chapter;
  }

  private List<String[]> everything() {
    return keys.stream().map(key -> new String[] {"LRANGE", key(key), "0", "-1"}).toList();
  }

  /** The number to be written after {@code more} others. */
  String number(int more) {
    return Integer.toString(ledger.size() + more);
  }

  /** Adds the next number; see {@link WriteHistory#add}. */
  void add(Outcome outcome, boolean safe, long time) {
    ledger.add(outcome, safe, time);
    if (outcome == Outcome.DONE) {
      acknowledged++;
    }
  }

  /**
   * Fails unless a list can be so long, as a reply says, after a number was appended: as long as
   * what is acknowledged at least, and as all that was tried at most.
   */
  void checkLength(String reply) {
    long length = Long.parseLong(reply.substring(1, reply.length() - 2));
    boolean least = client.weather().losesWrites(0, System.nanoTime()) || length > acknowledged;
    if (!least || length > ledger.size() + 1) {
      throw new AssertionError(
          what + ": length " + length + " after " + acknowledged + " of " + ledger.size());
    }
  }

  /** Ends the chapter when it is long enough and nothing has gone wrong lately. */
  void turnPage() {
    long now = System.nanoTime();
    if (ledger.size() >= LENGTH && !client.weather().isDisturbed(now - CALM_NANOS, now)) {
      try (ClientConnection line = client.anotherLine()) {
        List<String> replies = line.exchange(everything());
        if (replies.stream().noneMatch(reply -> reply.startsWith("-"))) {
          check(replies);
          keys.forEach(key -> line.exchange(List.<String[]>of(new String[] {"DEL", key(key)})));
          chapter++;
          ledger = new WriteHistory();
          acknowledged = 0;
        }
      } catch (ClientConnection.Broken e) {
        // the calm is over: another time
      }
    }
  }

  /** Checks what is there when all is over. */
  void verify(ClientConnection fresh) {
    check(fresh.exchange(everything()));
  }

  private void check(List<String> replies) {
    long now = System.nanoTime();
    List<Integer> first = numbers(replies.getFirst());
    for (String other : replies) {
      if (!numbers(other).equals(first)) {
        throw new AssertionError(what + ": half of a transaction is there: " + keys);
      }
    }
    FaultTimeline weather = client.weather();
    ledger.check(
        what, first, client.tally(), (time, safe) -> !safe && weather.losesWrites(time, now));
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
