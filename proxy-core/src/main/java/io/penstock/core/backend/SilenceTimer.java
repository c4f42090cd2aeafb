package io.penstock.core.backend;

import io.penstock.core.output.SocketOutput;

/**
 * Measures for how long a node has been silent: no bytes came from it, and it accepted none of the
 * bytes of a backlog.
 */
final class SilenceTimer {

  /**
   * Fewer unwritten bytes are not a backlog. With io_uring each request is unwritten for a moment,
   * and a half-open connection may accept small requests for long.
   */
  private static final int BACKLOG = 64 * 1024;

  private long since;
  private long lastAccepted; // as of the previous call
  private long lastAppended;

  /** Start of the silence, as of {@link System#nanoTime()}. */
  long since() {
    return since;
  }

  /** Starts again: bytes came, or no reply is pending. */
  void reset(long now) {
    since = now;
  }

  /**
   * Nanoseconds of silence. Must be called regularly, since a node that still receives a large
   * request is not silent: some bytes of the backlog at the previous call were accepted since, and
   * others were not.
   */
  long elapsed(SocketOutput output, long now) {
    long accepted = output.acceptedBytes();
    boolean isBacklogged = accepted + BACKLOG < lastAppended;
    if (isBacklogged && accepted > lastAccepted) {
      since = now;
    }
    lastAccepted = accepted;
    lastAppended = output.appendedBytes();
    return now - since;
  }
}
