package io.penstock.server.fault;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * What one client wrote, numbered from 0, and what became of it as far as the client knows. Not
 * thread-safe.
 */
final class WriteHistory {

  private static final byte SAFE = 1;
  private static final byte FRAGILE = 2;
  private static final byte UNKNOWN = 3;
  private static final byte NOT_RUN = 4;

  private byte[] states = new byte[1_024];
  private long[] times = new long[1_024];
  private int size;

  int size() {
    return size;
  }

  /**
   * Adds the next number.
   *
   * @param safe whether a replica had it as well, when it was acknowledged
   * @param time when its writing began
   */
  void add(Outcome outcome, boolean safe, long time) {
    if (size == states.length) {
      states = Arrays.copyOf(states, 2 * size);
      times = Arrays.copyOf(times, 2 * size);
    }
    times[size] = time;
    states[size++] =
        switch (outcome) {
          case DONE -> safe ? SAFE : FRAGILE;
          case NOT_RUN -> NOT_RUN;
          case UNKNOWN -> UNKNOWN;
        };
  }

  /**
   * Compares with what is there: each acknowledged number once and in order, each that is unknown
   * once at most, none that did not run.
   *
   * @param what goes before the counts
   * @param excused whether a number written at a time may be lost although it was acknowledged
   */
  void check(
      String what, List<Integer> found, EventCounts tally, BiPredicate<Long, Boolean> excused) {
    int[] counts = new int[size];
    int last = -1;
    for (int number : found) {
      if (number >= size) {
        throw new AssertionError(what + ": " + number + " is there and was never written");
      }
      counts[number]++;
      if (isDone(number)) {
        if (number < last) {
          throw new AssertionError(what + ": " + number + " is behind " + last);
        }
        last = number;
      }
    }
    for (int number = 0; number < size; number++) {
      check(what, number, counts[number], excused);
      count(what, number, counts[number], tally);
    }
  }

  private boolean isDone(int number) {
    return states[number] == SAFE || states[number] == FRAGILE;
  }

  private void check(String what, int number, int count, BiPredicate<Long, Boolean> excused) {
    boolean right =
        switch (states[number]) {
          case SAFE, FRAGILE ->
              count == 1 || (count == 0 && excused.test(times[number], states[number] == SAFE));
          case UNKNOWN -> count <= 1;
          default -> count == 0;
        };
    if (!right) {
      throw new AssertionError(
          what + ": " + number + ", " + word(number) + ", is there " + count + " times");
    }
  }

  private void count(String what, int number, int count, EventCounts tally) {
    tally.add(what + " " + word(number) + (count == 0 ? ", absent" : ", present"));
  }

  private String word(int number) {
    return switch (states[number]) {
      case SAFE, FRAGILE -> "acknowledged";
      case UNKNOWN -> "unacknowledged";
      default -> "refused";
    };
  }
}
