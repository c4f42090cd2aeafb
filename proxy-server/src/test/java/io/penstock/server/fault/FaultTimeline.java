package io.penstock.server.fault;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The faults injected so far and their consequences: which errors clients may get, and whether
 * acknowledged writes may be lost. Times are {@link System#nanoTime()}. Thread-safe.
 */
final class FaultTimeline {

  private static final long RECENT_NANOS = 10_000_000_000L;

  private final List<Entry> entries = new CopyOnWriteArrayList<>();

  /**
   * Records the start of a fault.
   *
   * @param errors prefixes of the errors that it explains
   */
  Entry begin(String what, Set<String> errors) {
    var entry = new Entry(what, errors, System.nanoTime());
    entries.add(entry);
    return entry;
  }

  /** Returns whether a fault that was active between the two times explains the error. */
  boolean explains(String prefix, long from, long until) {
    return entries.stream().anyMatch(s -> s.errors.contains(prefix) && s.touches(from, until));
  }

  /** Returns whether a master may have lost unreplicated writes between the two times. */
  boolean mayLoseWrites(long from, long until) {
    return entries.stream().anyMatch(s -> s.mayLoseBetween(from, until));
  }

  /** Returns whether any fault was active between the two times. */
  boolean anyActive(long from, long until) {
    return entries.stream().anyMatch(s -> s.touches(from, until));
  }

  /** Returns whether two faults overlapped, both active between the two times. */
  boolean anyOverlap(long from, long until) {
    List<Entry> active = entries.stream().filter(e -> e.touches(from, until)).toList();
    return active.stream().anyMatch(e -> active.stream().anyMatch(o -> o != e && o.overlaps(e)));
  }

  /** Returns recent faults and their times. */
  @Override
  public String toString() {
    long now = System.nanoTime();
    List<String> recent =
        entries.stream()
            .filter(entry -> entry.touches(now - RECENT_NANOS, now))
            .map(entry -> entry.at(now))
            .toList();
    return recent.isEmpty() ? "no recent fault" : String.join(", ", recent);
  }

  /** One fault, active until it is closed. */
  static final class Entry implements AutoCloseable {

    private final String what;
    private final Set<String> errors;
    private final long from;
    private volatile long until = Long.MAX_VALUE;
    private volatile boolean open = true;
    private volatile boolean losing;
    private volatile long losingSince;
    private volatile long losingUntil;
    private volatile boolean lost;

    Entry(String what, Set<String> errors, long from) {
      this.what = what;
      this.errors = Set.copyOf(errors);
      this.from = from;
    }

    /** From now on, acknowledged writes may be lost: a master is about to be killed or replaced. */
    void beginWriteLoss() {
      losingSince = System.nanoTime();
      losing = true;
      lost = true;
    }

    /** From now on, acknowledged writes must survive. */
    void endWriteLoss() {
      losingUntil = System.nanoTime();
      losing = false;
    }

    /** Records that the fault and its consequences are over. */
    @Override
    public void close() {
      if (losing) {
        endWriteLoss();
      }
      until = System.nanoTime();
      open = false;
    }

    private boolean touches(long begin, long end) {
      return end - from >= 0 && (open || until - begin >= 0);
    }

    private boolean overlaps(Entry other) {
      return touches(other.from, other.open ? System.nanoTime() : other.until);
    }

    private boolean mayLoseBetween(long begin, long end) {
      return lost && end - losingSince >= 0 && (losing || losingUntil - begin >= 0);
    }

    private String at(long now) {
      long begun = (now - from) / 1_000_000;
      return open
          ? what + " (for " + begun + " ms)"
          : what + " (" + begun + " to " + (now - until) / 1_000_000 + " ms ago)";
    }

    @Override
    public String toString() {
      return what;
    }
  }
}
