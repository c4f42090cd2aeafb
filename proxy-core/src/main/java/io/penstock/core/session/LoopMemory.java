package io.penstock.core.session;

import io.penstock.core.observe.CloseReason;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one loop keep in buffers, and who has to go when those of all loops keep too
 * much: the one that keeps the most, whichever loop it is on. Used on its loop; the figures are for
 * any thread.
 */
final class LoopMemory {

  private final ClientDirectory directory;
  private final Executor executor;
  private final Set<Session> sessions;
  private final long limit;
  private final AtomicBoolean asked = new AtomicBoolean();
  private long sum;
  private volatile long used;
  private volatile long largest;

  /**
   * @param limit of all loops together, in bytes; 0 for none
   */
  LoopMemory(ClientDirectory directory, Executor executor, Set<Session> sessions, long limit) {
    this.directory = directory;
    this.executor = executor;
    this.sessions = sessions;
    this.limit = limit;
  }

  /** Bytes, as of late. Any thread. */
  long used() {
    return used;
  }

  /** Bytes of the client that keeps the most and may be closed, as of late. Any thread. */
  long largest() {
    return largest;
  }

  /** A client keeps more or less than before. */
  void changed(Allowance client) {
    long before = client.counted();
    long now = client.recount();
    if (now == before) {
      return;
    }
    sum += now - before;
    used = sum;
    if (now > largest && !client.isSpared()) {
      largest = now;
    }
    if (now > before && isTooMuch()) {
      letGo(directory.largest());
    }
  }

  private boolean isTooMuch() {
    return limit > 0 && directory.memory() > limit;
  }

  /** Has the loop of the largest client see to it. */
  private void letGo(LoopMemory most) {
    if (most == this) {
      shed();
    } else if (most.asked.compareAndSet(false, true)) {
      most.executor.execute(most::shed);
    }
  }

  /** Closes the largest client of all, and again, until no more is kept than may be. */
  private void shed() {
    asked.set(false);
    Allowance most = recount();
    while (most != null && isTooMuch()) {
      LoopMemory where = directory.largest();
      if (where != this) {
        letGo(where);
        return;
      }
      most.end(CloseReason.MEMORY);
      most = recount();
    }
  }

  /**
   * Counts anew: buffers empty without a word.
   *
   * @return who keeps the most and may be closed; null when nobody does
   */
  private @Nullable Allowance recount() {
    long total = 0;
    Allowance most = null;
    for (Session session : sessions) {
      Allowance client = session.allowance();
      long kept = client.recount();
      total += kept;
      if (kept > (most == null ? 0 : most.counted()) && !client.isSpared()) {
        most = client;
      }
    }
    sum = total;
    used = total;
    largest = most == null ? 0 : most.counted();
    return most;
  }

  /** Counts anew, and closes whom it takes. Called now and then: small things add up. */
  void look() {
    recount();
    if (isTooMuch()) {
      letGo(directory.largest());
    }
  }
}
