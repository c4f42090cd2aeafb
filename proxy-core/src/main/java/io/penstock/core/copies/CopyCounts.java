package io.penstock.core.copies;

import io.penstock.core.spec.CommandSpec;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what became of the tasks of one copy. Safe from any thread. */
final class CopyCounts {

  private static final String OTHER = "other";

  final LongAdder done = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder unknown = new LongAdder();
  final LongAdder copiedAgain = new LongAdder();
  private final Map<String, LongAdder> differing = new ConcurrentHashMap<>();

  void countDiffering(@Nullable CommandSpec spec) {
    differing.computeIfAbsent(name(spec), _ -> new LongAdder()).increment();
  }

  /** Returns the name of a command for counts and log lines. */
  static String name(@Nullable CommandSpec spec) {
    return spec == null ? OTHER : spec.displayName();
  }

  Map<String, Long> differing() {
    Map<String, Long> counts = new TreeMap<>();
    differing.forEach((name, count) -> counts.put(name, count.sum()));
    return counts;
  }
}
