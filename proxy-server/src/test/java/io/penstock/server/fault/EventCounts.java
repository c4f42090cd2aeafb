package io.penstock.server.fault;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counters by name. Thread-safe. */
final class EventCounts {

  private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();

  void add(String what) {
    add(what, 1);
  }

  void add(String what, long more) {
    if (more > 0) {
      counts.computeIfAbsent(what, _ -> new AtomicLong()).addAndGet(more);
    }
  }

  void recordMax(String what, long value) {
    counts.computeIfAbsent(what, _ -> new AtomicLong()).accumulateAndGet(value, Math::max);
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    counts.forEach((what, count) -> text.append(what).append(' ').append(count).append("; "));
    return text.toString();
  }
}
