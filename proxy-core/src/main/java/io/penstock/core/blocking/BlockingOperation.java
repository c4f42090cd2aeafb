package io.penstock.core.blocking;

import java.util.function.IntConsumer;

/** What a client waits for and that may last: the client's next requests wait for its end. */
public interface BlockingOperation {

  /** Whether it does not go on before something happens or its time has passed. */
  boolean isBlocked();

  /**
   * Ends the blocking as {@code CLIENT UNBLOCK} does.
   *
   * @param error whether with an error, and not as if its time had passed
   * @param done gets 1 if it was blocked, else 0
   */
  void unblock(boolean error, IntConsumer done);

  /** The client has gone away, or sends no more: Redis closes it then. */
  void onInputEnded();

  /** The proxy ends: whoever blocks gets what there is, or hears so. */
  void drain();
}
