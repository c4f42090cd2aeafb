package io.penstock.core.resync;

import java.util.concurrent.CompletableFuture;

/**
 * How large a value may be, as {@code DUMP} writes it, so that the copy takes it: a server closes
 * the connection on a longer argument. Confined to the jobs' loop.
 */
final class LargestValue {

  /** {@code proto-max-bulk-len} by default; Penstock does not send more. */
  private static final long MOST = 512L * 1024 * 1024;

  private final Questions copy;
  private long most = MOST;

  LargestValue(Questions copy) {
    this.copy = copy;
  }

  /** Asks the copy. Completes also if it does not tell. */
  CompletableFuture<Void> find() {
    var masters = copy.masters();
    if (masters.isEmpty()) {
      return CompletableFuture.failedFuture(new NoAnswerException("the copy has no master"));
    }
    return copy.atNode(
            masters.getFirst(),
            -1,
            Questions.request("CONFIG", "GET", "proto-max-bulk-len"),
            new Gathered(1024))
        .handle((reply, failure) -> {
          if (failure == null) {
            adopt(reply);
          }
          return null;
        });
  }

  private void adopt(Gathered reply) {
    var elements = reply.list();
    if (elements.size() == 2) {
      most = Math.min(MOST, Long.parseLong(Gathered.text(elements.getLast())));
    }
  }

  /** Returns whether the value must be measured. Its size in memory is about that, or more. */
  boolean mayExceed(Entry entry) {
    return entry.size() > most / 2;
  }

  boolean isExceededBy(long length) {
    return length > most;
  }
}
