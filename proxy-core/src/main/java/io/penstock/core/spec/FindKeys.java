package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;

/**
 * The second half of a {@link KeySpec}: which arguments are keys, counted from where the keys
 * begin.
 */
public sealed interface FindKeys {

  /** Returned by {@link #collect} for a request that does not fit the spec. */
  int INVALID = -1;

  /**
   * Adds the keys' argument indexes to {@code into}.
   *
   * @param first the index from {@link BeginSearch}
   * @return how many; {@link #INVALID} if arguments are missing
   */
  int collect(RequestFrame frame, int first, KeyPositions into);

  /**
   * A run of arguments.
   *
   * @param lastKey offset of the last key from the first; negative counts from the request's end
   *     (-1 is the last argument)
   * @param keyStep distance from one key to the next
   * @param limit with {@code lastKey} -1: the remaining arguments have this number of equal parts,
   *     and only those of the first are keys
   */
  record Range(int lastKey, int keyStep, int limit) implements FindKeys {
    @Override
    public int collect(RequestFrame frame, int first, KeyPositions into) {
      return addRun(frame, first, last(first, frame.argc()), keyStep, into);
    }

    private int last(int first, int argc) {
      if (lastKey >= 0) {
        return first + lastKey;
      }
      return limit == 0 ? argc + lastKey : first + (argc - first) / limit + lastKey;
    }
  }

  /**
   * As many keys as one argument says.
   *
   * @param keyNumIndex offset of the argument that holds the number
   * @param firstKey offset of the first key
   * @param keyStep distance from one key to the next
   */
  record KeyNum(int keyNumIndex, int firstKey, int keyStep) implements FindKeys {
    @Override
    public int collect(RequestFrame frame, int first, KeyPositions into) {
      int counter = first + keyNumIndex;
      if (counter >= frame.argc()) {
        return INVALID;
      }
      long count = Ascii.parseLong(frame, counter);
      if (count == Ascii.NOT_A_LONG) {
        // The command rejects this count, but nodes find keys first, and read it with atoi.
        int read = Ascii.atoi(frame, counter);
        count = read == 0 ? INVALID : read;
      }
      if (count == 0) {
        return 0;
      }
      if (count < 0 || count > frame.argc()) {
        return INVALID;
      }
      int begin = first + firstKey;
      return addRun(frame, begin, begin + ((int) count - 1) * keyStep, keyStep, into);
    }
  }

  /** By a rule that no spec can describe. */
  record Unknown() implements FindKeys {
    @Override
    public int collect(RequestFrame frame, int first, KeyPositions into) {
      return INVALID;
    }
  }

  private static int addRun(RequestFrame frame, int first, int last, int step, KeyPositions into) {
    if (first == frame.argc() && last == first - 1) {
      return 0; // the keys are the remaining arguments, and there are none
    }
    if (last < first || last >= frame.argc()) {
      return INVALID;
    }
    for (int i = first; i <= last; i += step) {
      into.add(i);
    }
    return (last - first) / step + 1;
  }
}
