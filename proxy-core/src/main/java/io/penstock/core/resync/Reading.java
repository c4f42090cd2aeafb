package io.penstock.core.resync;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A key as it was at one side when it was read.
 *
 * @param dump the serialized value
 * @param deadline when it expires, in Unix milliseconds; -1 if never; -2 if the server does not
 *     tell
 * @param remaining milliseconds until it expires; -1 if never
 * @param content null if it was not read
 */
record Reading(DumpDigest dump, long deadline, long remaining, @Nullable Content content) {

  private static final long NOT_TOLD = -2;
  private static final long TOLERANCE_MILLIS = 1_000;

  /**
   * Reads a key.
   *
   * @param withContent whether to read the content, too, because servers serialize it in several
   *     ways
   */
  static CompletableFuture<Reading> of(Questions side, Entry entry, boolean withContent) {
    byte[] key = entry.key();
    int database = entry.database();
    CompletableFuture<DumpDigest> dump =
        side.atKey(
            database, key, Questions.request("DUMP", key), new DumpDigest(), entry.isLarge());
    CompletableFuture<Long> deadline = number(side, entry, "PEXPIRETIME");
    CompletableFuture<Long> remaining = number(side, entry, "PTTL");
    CompletableFuture<@Nullable Content> content =
        withContent
            ? new ContentReader(side, entry).read().thenApply(each -> each)
            : CompletableFuture.completedFuture(null);
    return CompletableFuture.allOf(dump, deadline, remaining, content)
        .thenApply(_ ->
            new Reading(
                dump.resultNow(),
                deadline.resultNow(),
                remaining.resultNow(),
                content.getNow(null)));
  }

  private static CompletableFuture<Long> number(Questions side, Entry entry, String command) {
    var request = Questions.request(command, entry.key());
    return side.atKey(entry.database(), entry.key(), request, new Gathered(1024))
        .handle((reply, failure) -> {
          Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
          if (cause instanceof NoAnswerException none) {
            throw none;
          }
          return cause == null ? reply.number() : NOT_TOLD; // a server before 7.0
        });
  }

  boolean isPresent() {
    return dump.isPresent();
  }

  /** Returns whether both say the same of the key. */
  boolean isSameAs(Reading other) {
    if (!isPresent() || !other.isPresent()) {
      return isPresent() == other.isPresent();
    }
    return hasDeadlineOf(other) && (dump.isSameAs(other.dump) || hasContentOf(other));
  }

  boolean hasDeadlineOf(Reading other) {
    if (deadline != NOT_TOLD && other.deadline != NOT_TOLD) {
      return deadline == other.deadline;
    }
    return (remaining < 0) == (other.remaining < 0)
        && Math.abs(remaining - other.remaining) <= TOLERANCE_MILLIS;
  }

  private boolean hasContentOf(Reading other) {
    Content own = content;
    return own != null && own.isKnown() && own.equals(other.content);
  }

  /** Returns how two readings that are not the same differ. */
  static Difference difference(Reading ofPrimary, Reading ofCopy) {
    if (!ofCopy.isPresent()) {
      return Difference.MISSING;
    }
    if (!ofPrimary.isPresent()) {
      return Difference.EXTRA;
    }
    Content one = ofPrimary.content;
    Content other = ofCopy.content;
    boolean sameDump = ofPrimary.dump.isSameAs(ofCopy.dump);
    if (sameDump || one == null || other == null) {
      return sameDump ? Difference.DEADLINE : Difference.VALUE;
    }
    if (!one.type().equals(other.type())) {
      return Difference.TYPE;
    }
    if (!one.isKnown() || !other.isKnown()) {
      return Difference.UNDECIDED;
    }
    return one.digest() == other.digest() ? Difference.DEADLINE : Difference.VALUE;
  }
}
