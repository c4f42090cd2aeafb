package io.penstock.core.backend;

import io.penstock.core.transport.SocketOutput;

/**
 * For how long a node that owes replies has given no sign: no byte came from it, and it took none
 * of what there was to send.
 */
final class SilenceTimer {

  private long since;
  private long lastWritten;
  private boolean hadUnwritten; // at the last look

  /** When the last sign was given. */
  long since() {
    return since;
  }

  /** There was a sign, or there is nothing owed. */
  void reset(long now) {
    since = now;
  }

  /**
   * Nanoseconds; to be called regularly. A node that still takes in a large request is not silent.
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
