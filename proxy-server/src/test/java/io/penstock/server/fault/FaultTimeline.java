package io.penstock.server.fault;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What is being done to the cluster, and what follows from it: which errors clients may be given,
 * and whether what was acknowledged can be lost. Times are {@link System#nanoTime()}. Thread-safe.
 */
final class FaultTimeline {

  private static final long LATELY_NANOS = 10_000_000_000L;

  private final List<Spell> spells = new CopyOnWriteArrayList<>();

  /**
   * Something begins to go wrong.
   *
   * @param words errors that it explains, by their first word
   */
  Spell open(String what, Set<String> words) {
    var spell = new Spell(what, words, System.nanoTime());
    spells.add(spell);
    return spell;
  }

  /** Whether something that went on at any time between the two explains the error. */
  boolean explains(String word, long from, long until) {
    return spells.stream().anyMatch(s -> s.words.contains(word) && s.touches(from, until));
  }

  /** Whether a master was lost with what its replica had not got, at any time between the two. */
  boolean losesWrites(long from, long until) {
    return spells.stream().anyMatch(s -> s.losesBetween(from, until));
  }

  /** Whether anything went on at any time between the two. */
  boolean isDisturbed(long from, long until) {
    return spells.stream().anyMatch(s -> s.touches(from, until));
  }

  /** Whether two things went on at once, at any time between the two. */
  boolean isStormy(long from, long until) {
    List<Spell> there = spells.stream().filter(s -> s.touches(from, until)).toList();
    return there.stream().anyMatch(s -> there.stream().anyMatch(o -> o != s && o.overlaps(s)));
  }

  /** What there was lately, and when. */
  @Override
  public String toString() {
    long now = System.nanoTime();
    List<String> lately =
        spells.stream()
            .filter(spell -> spell.touches(now - LATELY_NANOS, now))
            .map(spell -> spell.at(now))
            .toList();
    return lately.isEmpty() ? "nothing was done lately" : String.join(", ", lately);
  }

  /** One thing that goes wrong, until it is closed. */
  static final class Spell implements AutoCloseable {

    private final String what;
    private final Set<String> words;
    private final long from;
    private volatile long until = Long.MAX_VALUE;
    private volatile boolean open = true;
    private volatile boolean losing;
    private volatile long losingSince;
    private volatile long losingUntil;
    private volatile boolean lost;

    Spell(String what, Set<String> words, long from) {
      this.what = what;
      this.words = Set.copyOf(words);
      this.from = from;
    }

    /** What a master acknowledges from now on may be lost: it is about to die or to be replaced. */
    void losesWrites() {
      losingSince = System.nanoTime();
      losing = true;
      lost = true;
    }

    /** What is acknowledged from now on stays. */
    void keepsWrites() {
      losingUntil = System.nanoTime();
      losing = false;
    }

    /** Over, with all that comes of it. */
    @Override
    public void close() {
      if (losing) {
        keepsWrites();
      }
      until = System.nanoTime();
      open = false;
    }

    private boolean touches(long begin, long end) {
      return end - from >= 0 && (open || until - begin >= 0);
    }

    private boolean overlaps(Spell other) {
      return touches(other.from, other.open ? System.nanoTime() : other.until);
    }

    private boolean losesBetween(long begin, long end) {
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
