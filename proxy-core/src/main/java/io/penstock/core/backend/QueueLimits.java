package io.penstock.core.backend;

/**
 * What may queue up at one connection to a node.
 *
 * @param inFlight from so many sent and unanswered on, clients that ask the node are not read until
 *     half of them are answered; {@value #REFUSING} times as many, and more are refused
 * @param unsentBytes more are refused while the node has so many bytes yet to take
 */
public record QueueLimits(int inFlight, long unsentBytes) {

  private static final int REFUSING = 16;

  /** What holds where nothing else is configured. */
  public static final QueueLimits DEFAULTS = new QueueLimits(4_096, 64 << 20);

  /** Whether clients should pause. */
  boolean mustPause(int exchanges) {
    return exchanges >= inFlight;
  }

  /** Whether clients that have paused may go on. */
  boolean mayResume(int exchanges) {
    return exchanges <= inFlight / 2;
  }

  /** Whether nothing more can be taken. */
  boolean mustReject(int exchanges, long unsent) {
    return exchanges >= (long) REFUSING * inFlight || unsent > unsentBytes;
  }
}
