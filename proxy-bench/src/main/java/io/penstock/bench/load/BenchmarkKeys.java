package io.penstock.bench.load;

import java.util.ArrayList;
import java.util.List;

/** The keys that a {@link RedisBenchmark} uses, and how they are filled before it. */
sealed interface BenchmarkKeys {

  /**
   * One key for everything.
   *
   * @param preparation a run before the first, with its count; empty for none
   */
  record One(String key, List<String> preparation) implements BenchmarkKeys {

    public One {
      preparation = List.copyOf(preparation);
    }
  }

  /**
   * Random ones.
   *
   * @param filled whether nearly every key is to have a value
   */
  record Many(Scale scale, int valueBytes, boolean filled) implements BenchmarkKeys {

    /** Random SETs for each key: one key in twenty has no value after that. */
    private static final int TRIES = 3;

    /** From this size on a batch is large enough without pipelining. */
    private static final int LARGE = 16 << 10;

    /**
     * Sets keys at random.
     *
     * @param range numbers to choose from
     * @param tags hash tags of which each has all the numbers, and a thread of its own that may be
     *     far slower than the others
     */
    List<String> fill(int range, int tags) {
      int each = tags == 1 ? TRIES : TRIES * TRIES;
      long tries = (long) each * range * tags;
      List<String> fill = new ArrayList<>(List.of("-t", "set", "-n", "" + tries));
      fill.addAll(List.of("-r", "" + range, "-d", "" + valueBytes));
      fill.addAll(List.of("-P", valueBytes < LARGE ? "16" : "1"));
      return fill;
    }
  }
}
