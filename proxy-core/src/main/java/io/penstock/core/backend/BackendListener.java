package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;

/** Callbacks from the backend connections of one loop. Called on that loop. */
public interface BackendListener {

  /** A connection is ready for commands. */
  void onConnected(Endpoint node);

  /**
   * A connection was lost, or an attempt to connect failed. Not called when Penstock closes the
   * connection.
   *
   * @param attempts consecutive failed attempts, 0 if a ready connection was lost
   */
  void onDisconnected(Endpoint node, int attempts, Throwable cause);

  /**
   * A node with pending replies has sent nothing for suspiciously long, or has not answered a
   * command in time. Called with each tick while this lasts.
   */
  default void onNoReply(Endpoint node) {}

  /** A connection that was not writable may be writable again. */
  void onWritable();
}
