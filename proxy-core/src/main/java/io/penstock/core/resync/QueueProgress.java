package io.penstock.core.resync;

import io.penstock.core.copies.CopyQueue;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.observe.MirrorStats;

/** The progress of a copy by its queue. Jobs use half of the queue at most. */
record QueueProgress(CopyQueue queue, MirrorSettings settings) implements ResyncEnds.Progress {

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
