package io.penstock.core.observe;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * The times of one request's phases, kept for the requests that an observer of replies asks for.
 * Times are {@link System#nanoTime()}. A phase that a request skips has the time of the one before
 * it: what Penstock answers itself is never sent. Of several requests to nodes for one request of a
 * client, the first one sent counts, and the last one answered: what is between is the nodes' time,
 * also after a redirect. Confined to one event loop.
 */
public final class Timeline {

  private final long arrived;
  private final long routed;
  private long sent;
  private long firstByte;
  private boolean wasSent;
  private boolean hasFirstByte;
  private @Nullable Endpoint node;

  /**
   * @param arrived when bytes of the client were read last before the request was handled
   * @param routed when it was known what becomes of the request
   */
  public Timeline(long arrived, long routed) {
    this.arrived = arrived;
    this.routed = routed;
  }

  /** A request for it was given to the output of a connection to a node. */
  public void onSent(Endpoint to, long now) {
    node = to;
    if (!wasSent) {
      wasSent = true;
      sent = now;
    }
  }

  /** The beginning of a node's reply has come. */
  public void onFirstByte(long now) {
    hasFirstByte = true;
    firstByte = now;
  }

  public long arrived() {
    return arrived;
  }

  /** When the request was given to its handler, which may have waited for earlier requests. */
  public long routed() {
    return routed;
  }

  public long sent() {
    return wasSent ? sent : routed;
  }

  public long firstByte() {
    return hasFirstByte ? firstByte : sent();
  }

  /** The node that it was sent to last; null if it was sent to none. */
  public @Nullable Endpoint node() {
    return node;
  }
}
