package io.penstock.core.crossslot;

import io.penstock.core.client.ClientContext;
import io.penstock.core.forward.GatherLimit;
import io.penstock.core.forward.GatheredBytes;
import io.penstock.core.steps.WatchedNode;

/**
 * Counts what one command reads of the nodes' values for its client, until the next attempt or the
 * end. Confined to the client's loop.
 */
final class CountedReplies implements WatchedNode.KeptReplies {

  private final GatheredBytes gathered;
  private boolean limited = true;

  CountedReplies(ClientContext context, GatherLimit limit) {
    gathered = new GatheredBytes(context, limit);
  }

  @Override
  public void add(int bytes) {
    gathered.overflowsOnAdd(bytes);
  }

  @Override
  public boolean isTooLarge() {
    return limited && gathered.isTooLarge();
  }

  /** From the first write on, replies are kept, however large they are: they tell what it did. */
  void keepAll() {
    limited = false;
  }

  /** Starts again: nothing is kept of the last attempt. */
  void reset() {
    gathered.reset();
    limited = true;
  }

  /** Nothing is kept any more. */
  void release() {
    gathered.release();
  }
}
