package io.penstock.server.fault;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * The writes of one client, numbered from 0, with the outcome of each as far as the client knows.
 * Not thread-safe.
 */
final class WriteHistory {

  private static final byte REPLICATED = 1;
  private static final byte UNREPLICATED = 2;
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
   * @param replicated whether a replica had it too when it was acknowledged
   * @param time when the request was sent
   */
  void add(Outcome outcome, boolean replicated, long time) {
    if (size == states.length) {
      states = Arrays.copyOf(states, 2 * size);
      times = Arrays.copyOf(times, 2 * size);
    }
    times[size] = time;
    states[size++] =
        switch (outcome) {
          case DONE -> replicated ? REPLICATED : UNREPLICATED;
          case NOT_RUN -> NOT_RUN;
          case UNKNOWN -> UNKNOWN;
        };
  }

  /**
   * Checks the numbers found on the servers: each acknowledged number must be there once and in
   * order, each number with an unknown outcome at most once, and no number that did not run.
   *
   * @param what the prefix of the counts and messages
   * @param excused whether an acknowledged number may be lost, by the time of the write and whether
   *     it was replicated
   */
  void check(
      String what, List<Integer> found, EventCounts counts, BiPredicate<Long, Boolean> excused) {
    int[] occurrences = new int[size];
    int last = -1;
    for (int number : found) {
      if (number >= size) {
        throw new AssertionError(what + ": " + number + " is there and was never written");
      }
      occurrences[number]++;
      if (isDone(number)) {
        if (number < last) {
          throw new AssertionError(what + ": " + number + " comes after " + last);
        }
        last = number;
      }
    }
    for (int number = 0; number < size; number++) {
      check(what, number, occurrences[number], excused);
      count(what, number, occurrences[number], counts);
    }
  }

  private boolean isDone(int number) {
    return states[number] == REPLICATED || states[number] == UNREPLICATED;
  }

  private void check(String what, int number, int count, BiPredicate<Long, Boolean> excused) {
    boolean right =
        switch (states[number]) {
          case REPLICATED, UNREPLICATED ->
              count == 1
                  || (count == 0 && excused.test(times[number], states[number] == REPLICATED));
          case UNKNOWN -> count <= 1;
          default -> count == 0;
        };
    if (!right) {
      throw new AssertionError(
          what + ": " + number + ", " + word(number) + ", is there " + count + " times");
    }
  }

  private void count(String what, int number, int count, EventCounts counts) {
    counts.add(what + " " + word(number) + (count == 0 ? ", absent" : ", present"));
  }

  private String word(int number) {
    return switch (states[number]) {
      case REPLICATED, UNREPLICATED -> "acknowledged";
      case UNKNOWN -> "unacknowledged";
      default -> "not run";
    };
  }
}
