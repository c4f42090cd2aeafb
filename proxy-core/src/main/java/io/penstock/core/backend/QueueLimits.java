package io.penstock.core.backend;

/**
 * Limits on what queues up at one connection to a node.
 *
 * @param inFlight with this many requests in flight, reading from the node's clients is paused
 *     until half of them are answered; with {@value #REJECT_FACTOR} times as many, further requests
 *     are rejected
 * @param unsentBytes with more bytes than this unsent, further requests are rejected
 */
public record QueueLimits(int inFlight, long unsentBytes) {

  private static final int REJECT_FACTOR = 16;

  /** The default limits. */
  public static final QueueLimits DEFAULTS = new QueueLimits(4_096, 64 << 20);

  /** Returns whether clients should pause. */
  public boolean mustPause(int exchanges) {
    return exchanges >= inFlight;
  }

  /** Returns whether paused clients may resume. */
  public boolean mayResume(int exchanges) {
    return exchanges <= inFlight / 2;
  }

  /** Returns whether further requests must be rejected. */
  public boolean mustReject(int exchanges, long unsent) {
    return exchanges >= (long) REJECT_FACTOR * inFlight || unsent > unsentBytes;
  }
}
