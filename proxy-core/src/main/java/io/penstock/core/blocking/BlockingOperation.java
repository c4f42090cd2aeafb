package io.penstock.core.blocking;

import io.penstock.core.directory.BlockingKeyCount;
import java.util.function.IntConsumer;

/** An operation that a client may wait in for long. The client's next requests wait for its end. */
public interface BlockingOperation {

  /**
   * Returns whether it is blocked: it ends only when something happens or its timeout has passed.
   */
  boolean isBlocked();

  /** Adds the keys that it waits for. */
  default void countKeys(BlockingKeyCount count) {
    // Most wait for none.
  }

  /**
   * Ends the blocking as {@code CLIENT UNBLOCK} does.
   *
   * @param error whether it ends with an error, instead of as after its timeout
   * @param done gets 1 if it was blocked, else 0
   */
  void unblock(boolean error, IntConsumer done);

  /**
   * Ends the blocking with an error: the client may not call it any more. What a node gives for it
   * from now on is put back.
   *
   * @param error encoded
   */
  default void deny(byte[] error) {
    // Some only wait for what the client has done.
  }

  /** Handles a client that has disconnected or sends no more: Redis closes it then. */
  void onInputEnded();

  /** Ends the operation because Penstock shuts down: the client gets what there is, or an error. */
  void drain();
}
