package io.penstock.core.resync;

import io.penstock.core.observe.CopyJobStatus.Kind;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Compares keys of both sides, all or at random. Confined to the jobs' loop. */
final class Compare extends KeyJob {

  /** Most keys at a time that are read again. */
  private static final int MOST_REPEATED = 4_096;

  /** Larger values are not read, in bytes of memory. */
  private static final long LARGEST = 512L * 1024 * 1024;

  private static final int MOST_ATTEMPTS = 5;

  private static final String SAME = "same";
  private static final String DIFFERING = "differing";

  private final Sample sample;
  private int repeated;

  /**
   * What is compared.
   *
   * @param keys of each side at random; 0 for all keys
   * @param repair whether keys that differ are copied again
   */
  record Sample(long keys, boolean repair) {}

  private Compare(ResyncEnds ends, int keysPerSecond, Sample sample) {
    this.sample = sample;
    super(Kind.COMPARE, ends, keysPerSecond);
  }

  static Compare of(ResyncEnds ends, int keysPerSecond, Sample sample) {
    return new Compare(ends, keysPerSecond, sample);
  }

  @Override
  KeySource primaryKeys() {
    return keys(Keyspace.ofPrimary(primary()));
  }

  @Override
  KeySource copyKeys() {
    return keys(Keyspace.ofCopy(copy(), primary()));
  }

  private KeySource keys(Keyspace keyspace) {
    return sample.keys() == 0 ? new KeyWalk(keyspace) : new RandomKeys(keyspace, sample.keys());
  }

  @Override
  CompletableFuture<Void> prepare() {
    return CompletableFuture.completedFuture(null);
  }

  /** They were compared before, if all are. */
  @Override
  boolean leavesOutCommonKeys() {
    return sample.keys() == 0;
  }

  @Override
  boolean hasRoom() {
    return repeated < MOST_REPEATED;
  }

  @Override
  boolean isOccupied() {
    return repeated > 0;
  }

  @Override
  void process(Deque<Entry> next) {
    Entry entry = next.remove();
    if (entry.size() > LARGEST) {
      count("too large", 1);
      list(entry, "is too large to be compared: %d bytes".formatted(entry.size()));
      return;
    }
    acquire(entry);
    new PairComparison(this, entry, new Pair(entry)).begin();
  }

  /** One key. */
  private final class Pair implements PairComparison.Listener {

    private final Entry entry;
    private boolean again;

    Pair(Entry entry) {
      this.entry = entry;
    }

    @Override
    public void onSame() {
      release(entry);
      count(SAME, 1);
    }

    @Override
    public void onRepeat() {
      release(entry);
      again = true;
      repeated++;
    }

    private void endRepeat() {
      if (again) {
        repeated--;
      } else {
        release(entry);
      }
    }

    @Override
    public void onSettled() {
      endRepeat();
      count(SAME, 1);
      countBeside("settled");
    }

    @Override
    public void onChanging() {
      endRepeat();
      count("changing", 1);
    }

    @Override
    public void onDifference(Difference difference) {
      list(entry, difference.text());
      if (sample.repair() && difference != Difference.UNDECIDED) {
        repair(difference);
      } else {
        endRepeat();
        countDifference(difference);
      }
    }

    private void countDifference(Difference difference) {
      count(difference.label(), 1);
      if (difference != Difference.UNDECIDED) {
        countBeside(DIFFERING);
      }
    }

    private void repair(Difference difference) {
      ends()
          .repairs()
          .copyAgain(
              ends().names().number(),
              entry.database(),
              List.of(entry.key()),
              done ->
                  loop()
                      .executor()
                      .execute(() ->
                          guarded(() -> {
                            endRepeat();
                            countDifference(difference);
                            countBeside(done ? "repaired" : "not repaired");
                          })));
    }

    @Override
    public void onNoAnswer(String why) {
      endRepeat();
      if (entry.attempts() < MOST_ATTEMPTS) {
        putBack(entry.failedOnce());
      } else {
        count("unanswered", 1);
        list(entry, "was not read in %d attempts: %s".formatted(MOST_ATTEMPTS + 1, why));
      }
      pause(why);
    }
  }

  @Override
  void finish() {
    long differing = counted(DIFFERING);
    String reason = differing == 0 ? null : "%d keys differ".formatted(differing);
    end(reason, null);
  }
}
