package io.penstock.core.resync;

import io.penstock.core.observe.CopyJobStatus.Kind;
import io.penstock.core.observe.CopyJobStatus.State;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Copies all keys again to one copy: first the functions, then each key of the primary, then those
 * of the copy that the primary does not have, which deletes them. Confined to the jobs' loop.
 */
final class Resync extends KeyJob {

  /** Keys that are copied in one call. */
  private static final int BATCH = 10;

  /** Larger ones are copied alone, in bytes. */
  private static final long LARGE = 256 * 1024;

  private static final int MOST_ATTEMPTS = 4;
  private static final long PAUSE_MILLIS = 300;

  /** The copy takes nothing if so many keys failed one after the other. */
  private static final int MOST_FAILED_IN_A_ROW = 1_000;

  /** Rounds in which something was lost for the copy meanwhile. */
  private static final int MOST_ROUNDS = 3;

  private static final String COPIED = "copied";
  private static final String REMOVED = "removed";
  private static final String FAILED = "failed";

  private final Functions functions;
  private final LargestValue largest;
  private long lossesBefore;
  private int failedInARow;
  private int waiting; // keys that are tried again after a pause
  private @Nullable String functionsTrouble;

  Resync(ResyncEnds ends, int keysPerSecond) {
    super(Kind.RESYNC, ends, keysPerSecond);
    this.functions = new Functions(primary(), copy());
    this.largest = new LargestValue(copy());
    this.lossesBefore = ends.progress().losses();
  }

  @Override
  KeySource primaryKeys() {
    return new KeyWalk(Keyspace.ofPrimary(primary()));
  }

  @Override
  KeySource copyKeys() {
    return new KeyWalk(Keyspace.ofCopy(copy(), primary()));
  }

  @Override
  CompletableFuture<Void> prepare() {
    return largest
        .find()
        .thenCompose(_ -> functions.copy())
        .thenAccept(trouble -> functionsTrouble = trouble);
  }

  @Override
  boolean leavesOutCommonKeys() {
    return true;
  }

  @Override
  boolean hasRoom() {
    return ends().progress().hasRoom();
  }

  @Override
  boolean isOccupied() {
    return waiting > 0;
  }

  @Override
  void process(Deque<Entry> next) {
    List<Entry> batch = new ArrayList<>();
    Entry first = next.remove();
    batch.add(first);
    if (!isAlone(first)) {
      while (batch.size() < BATCH
          && !next.isEmpty()
          && !isAlone(next.element())
          && next.element().database() == first.database()) {
        batch.add(next.remove());
      }
    }
    batch.forEach(this::acquire);
    if (largest.mayExceed(first)) {
      measure(first);
    } else {
      copy(batch);
    }
  }

  private static boolean isAlone(Entry entry) {
    return entry.size() > LARGE || entry.attempts() > 0;
  }

  private void measure(Entry entry) {
    var request = Questions.request("DUMP", entry.key());
    on(
        primary().atKey(entry.database(), entry.key(), request, new DumpDigest(), true),
        dump -> {
          if (largest.isExceededBy(dump.length())) {
            release(entry);
            giveUp(entry, "its value has %d bytes as DUMP writes it".formatted(dump.length()));
          } else {
            copy(List.of(entry));
          }
        },
        why -> {
          release(entry);
          putBack(entry);
          pause("the primary: " + why);
        });
  }

  private void copy(List<Entry> batch) {
    List<byte[]> keys = batch.stream().map(Entry::key).toList();
    ends()
        .repairs()
        .copyAgain(
            ends().names().number(),
            batch.getFirst().database(),
            keys,
            done -> loop().executor().execute(() -> guarded(() -> onCopied(batch, done))));
  }

  private void onCopied(List<Entry> batch, boolean done) {
    batch.forEach(this::release);
    if (done) {
      failedInARow = 0;
      count(isOfCopy() ? REMOVED : COPIED, batch.size());
    } else if (state() != State.RUNNING) {
      batch.forEach(this::putBack);
    } else {
      waiting += batch.size();
      on(probeBoth(), trouble -> afterFailure(batch, trouble), why -> {});
    }
  }

  private boolean isOfCopy() {
    return phase() == Phase.COPY;
  }

  /** If the nodes do not answer, the keys are not to blame. */
  private void afterFailure(List<Entry> batch, @Nullable String trouble) {
    if (trouble != null) {
      waiting -= batch.size();
      batch.forEach(this::putBack);
      pause(trouble);
      return;
    }
    loop()
        .executor()
        .schedule(
            () ->
                guarded(() -> {
                  waiting -= batch.size();
                  batch.forEach(this::tryAgain);
                }),
            PAUSE_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  private void tryAgain(Entry entry) {
    Entry next = entry.failedOnce();
    if (next.attempts() < MOST_ATTEMPTS) {
      putBack(next);
    } else {
      giveUp(entry, "could not be copied in %d attempts".formatted(MOST_ATTEMPTS));
    }
  }

  private void giveUp(Entry entry, String why) {
    count(FAILED, 1);
    list(entry, why);
    if (++failedInARow >= MOST_FAILED_IN_A_ROW) {
      fail("%d keys in a row could not be copied".formatted(failedInARow));
    }
  }

  @Override
  void finish() {
    long failed = counted(FAILED);
    String trouble = functionsTrouble;
    if (failed > 0 || trouble != null) {
      String keys = failed > 0 ? "%d keys could not be copied".formatted(failed) : null;
      end(keys == null ? trouble : trouble == null ? keys : keys + "; " + trouble, false);
    } else if (ends().progress().markLevel(lossesBefore)) {
      end(null, true);
    } else if (round() < MOST_ROUNDS) {
      lossesBefore = ends().progress().losses();
      beginRound();
    } else {
      end("in each of %d rounds something was lost for the copy".formatted(MOST_ROUNDS), false);
    }
  }
}
