package io.penstock.core.resync;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compares one key of both sides while clients write. If it differs, both are read again several
 * times, in order: the primary, then the copy once it has done what was before, then the primary.
 * It differs if all readings of a side are the same, and those of both sides never. Confined to the
 * jobs' loop.
 */
final class PairComparison {

  /** Before the key is read again, in milliseconds. */
  private static final long[] PAUSES = {0, 100, 400, 1_500, 3_000};

  /** A write is offered to the copy at most so long after the primary shows it, as a rule. */
  private static final long MARGIN_MILLIS = 20;

  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What becomes of a comparison. */
  interface Listener {

    /** It is the same when it is read for the first time. */
    void onSame();

    /** It is read again. */
    void onRepeat();

    /** It was the same when it was read again. */
    void onSettled();

    /** It changed all the time. */
    void onChanging();

    void onDifference(Difference difference);

    /** A side did not answer. */
    void onNoAnswer(String why);
  }

  private final KeyJob job;
  private final Entry entry;
  private final Listener listener;
  private int round;
  private boolean changing;
  private @Nullable Reading firstOfPrimary;
  private @Nullable Reading firstOfCopy;

  PairComparison(KeyJob job, Entry entry, Listener listener) {
    this.job = job;
    this.entry = entry;
    this.listener = listener;
  }

  /** What is known after a round. */
  private record Round(Reading before, Reading ofCopy, Reading after) {}

  void begin() {
    CompletableFuture<Reading> ofPrimary = Reading.of(job.primary(), entry, false);
    CompletableFuture<Reading> ofCopy = Reading.of(job.copy(), entry, false);
    ofPrimary
        .thenCombine(ofCopy, Reading::isSameAs)
        .whenComplete((same, failure) -> {
          if (failure != null) {
            end(failure);
          } else if (same) {
            job.guarded(listener::onSame);
          } else {
            job.guarded(listener::onRepeat);
            repeat();
          }
        });
  }

  private void end(Throwable failure) {
    Throwable cause = cause(failure);
    String why = String.valueOf(cause.getMessage());
    job.guarded(() -> {
      if (cause instanceof NoAnswerException) {
        listener.onNoAnswer(why);
      } else {
        job.fail("a node answered: " + why);
      }
    });
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause == null ? failure : cause;
  }

  private void repeat() {
    job.loop().executor().schedule(this::readAgain, PAUSES[round], TimeUnit.MILLISECONDS);
  }

  private void readAgain() {
    read(job.primary())
        .thenCompose(before ->
            awaitCopy()
                .thenCompose(_ -> read(job.copy()))
                .thenCompose(ofCopy ->
                    read(job.primary()).thenApply(after -> new Round(before, ofCopy, after))))
        .whenComplete((read, failure) -> {
          if (failure == null) {
            job.guarded(() -> compare(read));
          } else {
            afterFailure(failure);
          }
        });
  }

  /** A value may have another type between two questions. */
  private void afterFailure(Throwable failure) {
    if (cause(failure) instanceof ErrorReplyException && ++round < PAUSES.length) {
      repeat();
    } else {
      end(failure);
    }
  }

  private CompletableFuture<Reading> read(Questions side) {
    return Reading.of(side, entry, true);
  }

  /** Completes when the copy has done what came before now, or after a while. */
  private CompletableFuture<Void> awaitCopy() {
    var done = new CompletableFuture<Void>();
    long now = job.loop().tick();
    job.loop()
        .executor()
        .schedule(() -> awaitCopy(now, done), MARGIN_MILLIS, TimeUnit.MILLISECONDS);
    return done;
  }

  private void awaitCopy(long since, CompletableFuture<Void> done) {
    long passed = job.loop().tick() - since;
    boolean level =
        job.ends().progress().lagNanos()
            < passed - TimeUnit.MILLISECONDS.toNanos(MARGIN_MILLIS) / 2;
    if (level || passed > LONGEST_WAIT_NANOS) {
      changing |= !level;
      done.complete(null);
    } else {
      job.loop()
          .executor()
          .schedule(() -> awaitCopy(since, done), MARGIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void compare(Round read) {
    if (read.ofCopy().isSameAs(read.before()) || read.ofCopy().isSameAs(read.after())) {
      listener.onSettled();
      return;
    }
    Reading ofPrimary = firstOfPrimary;
    Reading ofCopy = firstOfCopy;
    if (ofPrimary == null || ofCopy == null) {
      ofPrimary = read.before();
      ofCopy = read.ofCopy();
      firstOfPrimary = ofPrimary;
      firstOfCopy = ofCopy;
    }
    changing |=
        !ofPrimary.isSameAs(read.before())
            || !ofPrimary.isSameAs(read.after())
            || !ofCopy.isSameAs(read.ofCopy());
    if (++round < PAUSES.length) {
      repeat();
    } else if (changing) {
      listener.onChanging();
    } else {
      listener.onDifference(Reading.difference(read.after(), read.ofCopy()));
    }
  }
}
