package io.penstock.core.mirroring;

import io.penstock.core.transport.Loop;
import java.util.concurrent.RejectedExecutionException;

/**
 * A way to the primary in which writes to one key run in the order in which they are sent, and are
 * answered in this order: the connection of one event loop to each node. Compared by identity.
 */
final class Lane {

  private final Loop loop;

  Lane(Loop loop) {
    this.loop = loop;
  }

  /** Runs an action on the lane's loop, soon; never if the loop has been shut down. */
  void execute(Runnable action) {
    try {
      loop.executor().execute(action);
    } catch (RejectedExecutionException _) {
      // Its clients are closed, and nothing is copied any more.
    }
  }
}
