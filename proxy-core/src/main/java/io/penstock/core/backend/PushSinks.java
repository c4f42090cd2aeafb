package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;

/** Makes a {@link PushSink} for each connection that is made. Called on the connections' loop. */
@FunctionalInterface
public interface PushSinks {

  /** Discards all pushes, and makes nothing. */
  PushSinks NONE = _ -> PushSink.NONE;

  /**
   * A connection to the node is made. It has one sink until it is closed; the connection that
   * replaces it gets another one.
   */
  PushSink open(Endpoint node);
}
