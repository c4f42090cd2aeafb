package io.penstock.core.session;

/**
 * How much a client may have asked for and not been given before it has to wait. Confined to its
 * loop.
 */
final class Allowance {

  private static final int MOST_UNANSWERED = 4_096;

  /** Bytes of replies that wait behind an earlier one. */
  private static final long MOST_HELD = 1024 * 1024;

  private long held;

  /** So many more bytes of replies are held until their turn, or fewer if negative. */
  void holds(int bytes) {
    held += bytes;
  }

  /** Whether one more request may be taken up behind {@code unanswered} others. */
  boolean permits(int unanswered) {
    return unanswered < MOST_UNANSWERED && held < MOST_HELD;
  }
}
