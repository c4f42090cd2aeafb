package io.penstock.core.session;

/**
 * How much a client may have asked for and not been given before it has to wait: so many requests
 * that replies of the size it has had lately would come to a bounded number of bytes. A new client
 * begins with few, since nothing is known of its replies. Confined to its loop.
 */
final class Allowance {

  private static final int MOST_UNANSWERED = 4_096;

  /** Bytes that the replies to all unanswered requests may be expected to have. */
  private static final long MOST_EXPECTED = 16 * 1024 * 1024;

  /** Bytes of replies that wait behind an earlier one. */
  private static final long MOST_HELD = 1024 * 1024;

  private static final int WEIGHT_SHIFT = 3; // the newest reply counts for an eighth

  private long held;
  private long usualReply = 64 * 1024;

  /** So many more bytes of replies are held until their turn, or fewer if negative. */
  void holds(int bytes) {
    held += bytes;
  }

  /** A reply of so many bytes was given. */
  void gave(long bytes) {
    usualReply += (bytes - usualReply) >> WEIGHT_SHIFT;
  }

  /** Whether one more request may be taken up behind {@code unanswered} others. */
  boolean permits(int unanswered) {
    return unanswered < MOST_UNANSWERED
        && unanswered * usualReply < MOST_EXPECTED
        && held < MOST_HELD;
  }
}
