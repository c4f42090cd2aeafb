package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;

/** What the connections of one loop tell their owner. Called on that loop. */
public interface BackendListener {

  /** A connection is ready for commands. */
  void onConnected(Endpoint node);

  /**
   * A connection ended, or an attempt to make one failed; not told of what Penstock closes itself.
   *
   * @param attempts failed attempts in a row, 0 for the loss of a connection that worked
   */
  void onDisconnected(Endpoint node, int attempts, Throwable cause);

  /**
   * A node owes replies and has been silent for longer than it usually is, or has not answered a
   * command in time. Told with each tick for as long as that holds.
   */
  default void onNoReply(Endpoint node) {}

  /** Connections that could not take more can again. */
  void onWritable();
}
