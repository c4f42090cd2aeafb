package io.penstock.core.resync;

import io.penstock.core.copies.CopyQueue;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.Repairs;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;

/**
 * A primary and one of its copies, as the event loop of the copy's jobs reaches them. A change of
 * the settings may replace what its methods return while a job is under way. They are called on the
 * loop, except {@link #names} and {@link #loop}, which never change.
 */
public interface ResyncEnds {

  /** Returns the names of both. */
  Names names();

  /** Returns the loop of the jobs. */
  Loop loop();

  /** Returns the primary, as that loop reaches it. */
  Side primary();

  /** Returns the copy, as that loop reaches it. */
  Side copy();

  /** Returns what copies keys again. */
  Repairs repairs();

  /** Returns how far the copy is. */
  Progress progress();

  /**
   * Names for logs and replies.
   *
   * @param upstream that has copies
   * @param copy the copy's upstream
   * @param number of the copy in the upstream
   */
  record Names(String upstream, String copy, int number) {}

  /** How far the copy is with the writes that it gets. Safe from any thread. */
  interface Progress {

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
   * @param settings the limits of the queue
   */
  static Progress progressOf(CopyQueue queue, MirrorSettings settings) {
    return new QueueProgress(queue, settings);
  }

  /** The progress of a copy by its queue. Jobs use half of the queue at most. */
  record QueueProgress(CopyQueue queue, MirrorSettings settings) implements Progress {

    @Override
    public long losses() {
      return queue.losses();
    }

    @Override
    public boolean markLevel(long lossesBefore) {
      return queue.markLevel(lossesBefore);
    }

    @Override
    public long lagNanos() {
      return queue.stats().lagNanos();
    }

    @Override
    public boolean hasRoom() {
      MirrorStats.Copy stats = queue.stats();
      return stats.queued() <= settings.maxRequests() / 2
          && stats.queuedBytes() <= settings.maxBytes() / 2;
    }
  }
}
