package io.penstock.core.backend;

import io.penstock.core.transport.SocketOutput;

/**
 * Measures for how long a node has been silent: no bytes came from it, and it accepted none of the
 * bytes to send.
 */
final class SilenceTimer {

  private long since;
  private long lastWritten;
  private boolean hadUnwritten; // at the previous call

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
   * request is not silent.
   */
  long elapsed(SocketOutput output, long now) {
    long unwritten = output.unwrittenBytes();
    long written = output.appendedBytes() - unwritten;
    if (hadUnwritten && written > lastWritten) {
      since = now;
    }
    hadUnwritten = unwritten > 0;
    lastWritten = written;
    return now - since;
  }
}
