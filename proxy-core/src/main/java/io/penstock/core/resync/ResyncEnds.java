package io.penstock.core.resync;

import io.penstock.core.copies.CopyQueue;
import io.penstock.core.copies.Repairs;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;

/**
 * A primary and one of its copies, as the event loop of the copy's jobs reaches them.
 *
 * @param names of both
 * @param loop of the jobs
 * @param primary as that loop reaches it
 * @param copy as that loop reaches it
 * @param repairs which copy keys
 * @param progress of the copy
 */
public record ResyncEnds(
    Names names, Loop loop, Side primary, Side copy, Repairs repairs, Progress progress) {

  /**
   * Names for logs and replies.
   *
   * @param upstream that has copies
   * @param copy the copy's upstream
   * @param number of the copy in the upstream
   */
  public record Names(String upstream, String copy, int number) {}

  /** How far the copy is with the writes that it gets. Safe from any thread. */
  public interface Progress {

    /** Returns how often something was lost for the copy so far. */
    long losses();

    /**
     * Everything was copied again: the copy is level, unless something was lost since.
     *
     * @param lossesBefore {@link #losses} when copying began
     * @return whether it is level
     */
    boolean markLevel(long lossesBefore);

    /** Returns how long the oldest effect that the copy has yet to do has waited; 0 if none. */
    long lagNanos();

    /** Returns whether there is room for more effects, so that none is lost because of a job. */
    boolean hasRoom();
  }

  /**
   * Returns the progress of a queue.
   *
   * @param maxRequests most effects that may wait in it
   * @param maxBytes most bytes of them
   */
  public static Progress progressOf(CopyQueue queue, int maxRequests, long maxBytes) {
    return new QueueProgress(queue, maxRequests, maxBytes);
  }
}
