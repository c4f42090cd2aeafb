package io.penstock.server.reads;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Times in which something happened that excuses older values. Thread-safe. */
final class Intervals implements ReadChecker.Excuse {

  private record Interval(long from, long until) {}

  private final List<Interval> all = new CopyOnWriteArrayList<>();

  void add(long from, long until) {
    all.add(new Interval(from, until));
  }

  @Override
  public boolean between(long from, long until) {
    return all.stream()
        .anyMatch(interval -> interval.from() - until <= 0 && from - interval.until() <= 0);
  }
}
