package io.penstock.core.session;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.transport.SocketOutput;

/**
 * What one client may take.
 *
 * <p>It has to wait when it has asked for too much that it was not given: so many requests that
 * replies of the size it has had lately would come to a bounded number of bytes. A new client
 * begins with few, since nothing is known of its replies.
 *
 * <p>It is closed when it leaves more unread than its {@link OutputLimit}, or when it keeps the
 * most of all in buffers and that is too much. Confined to its loop.
 */
final class Allowance {

  /** Bytes that the replies to all unanswered requests may be expected to have. */
  private static final long MOST_EXPECTED = 16 * 1024 * 1024;

  /** Bytes of replies that wait behind an earlier one. */
  private static final long MOST_HELD = 1024 * 1024;

  private static final long MUCH_HELD = MOST_HELD / 4;

  /** From this length on it is looked at once what a client keeps; else when there is time. */
  private static final int NOTABLE = SocketOutput.SLICE_THRESHOLD;

  private static final int WEIGHT_SHIFT = 3; // the newest reply counts for an eighth

  private final Session session;
  private final int mostUnanswered;
  private long held;
  private long borne;
  private long usualReply = 64 * 1024;
  private boolean due; // something was taken up that is kept
  private long counted; // bytes that the loop's memory has it down for
  private boolean slow; // above the soft limit
  private long slowSince; // if so
  private boolean ended; // for a limit

  Allowance(Session session) {
    this.session = session;
    this.mostUnanswered = session.loop().settings().clientLimits().inFlight();
  }

  /** So many more bytes of replies are held until their turn, or fewer if negative. */
  void holds(int bytes) {
    held += bytes;
    if (bytes >= NOTABLE) {
      check();
    }
  }

  /**
   * Whether replies that wait, for an earlier one or for other parts, should take no more memory
   * than they have bytes.
   */
  boolean holdsMuch() {
    return held + borne > MUCH_HELD;
  }

  /** So many more bytes of requests are kept until they are answered, or fewer if negative. */
  void bears(long bytes) {
    borne += bytes;
    due |= bytes > 0;
  }

  /** More may be kept than before: it is looked at when what has come is used up. */
  void keepsMore() {
    due = true;
  }

  /** So many more bytes of replies are being put together, or fewer if negative. */
  void gathers(long bytes) {
    borne += bytes;
    if (bytes >= NOTABLE) {
      check();
    }
  }

  /** Bytes have come and were used up as far as possible. */
  void checkInput() {
    if (due || !session.input().isEmpty()) {
      due = false;
      check();
    }
  }

  /** A reply of so many bytes was given. */
  void gave(long bytes) {
    usualReply += (bytes - usualReply) >> WEIGHT_SHIFT;
  }

  /** Whether one more request may be taken up behind {@code unanswered} others. */
  boolean permits(int unanswered) {
    return unanswered < mostUnanswered
        && unanswered * usualReply < MOST_EXPECTED
        && held < MOST_HELD;
  }

  /** The client is read from here on, or is not. */
  void reads(boolean reading, int unanswered) {
    if (!reading && unanswered >= mostUnanswered) {
      session.loop().sweep().tellPaused(session);
    }
  }

  /** Bytes that the client has not taken. */
  long unread() {
    Subscriptions subscriptions = session.intake().subscriptions();
    long pushed = subscriptions == null ? 0 : subscriptions.pushes().heldBytes();
    return pushed + held + session.output().unwritten();
  }

  /** Bytes that are kept for the client: in buffers, and of the names that it has given. */
  long kept() {
    Subscriptions subscriptions = session.intake().subscriptions();
    return unread()
        + borne
        + session.input().capacity()
        + session.profile().size()
        + session.intake().transactions().size()
        + (subscriptions == null ? 0 : subscriptions.size());
  }

  /** Bytes that the loop's memory has it down for; see {@link #recount}. */
  long counted() {
    return counted;
  }

  /** Answers what the client keeps now, for the loop's memory; nothing when it is closed. */
  long recount() {
    counted = session.isClosed() ? 0 : kept();
    return counted;
  }

  /** Whether it was closed for a limit: what it keeps is on its way back. */
  boolean isEnded() {
    return ended;
  }

  /** Closes the client if it takes more than it may. */
  void check() {
    check(session.loop().now());
  }

  /** As {@link #check()} at a certain time. */
  void check(long now) {
    if (ended || session.isClosed()) {
      return;
    }
    checkOutput(now);
    session.loop().memory().changed(this);
  }

  private void checkOutput(long now) {
    ClientLimits limits = session.loop().settings().clientLimits();
    OutputLimit limit =
        Subscriptions.isSubscriber(session) ? limits.subscribers() : limits.normal();
    long unread = unread();
    if (limit.isHard(unread)) {
      end(CloseReason.OUTPUT_HARD_LIMIT);
    } else if (!limit.isSoft(unread)) {
      forgive();
    } else if (!slow) {
      slow = true;
      slowSince = now;
      session.loop().sweep().watch(this);
    } else if (now - slowSince > limit.softNanos()) {
      end(CloseReason.OUTPUT_SOFT_LIMIT);
    }
  }

  private void forgive() {
    if (slow) {
      slow = false;
      session.loop().sweep().forget(this);
    }
  }

  /** Whether the client has asked to be spared when there is too little memory. */
  boolean isSpared() {
    return session.profile().isNoEvict();
  }

  /** Closes the client for a limit. */
  void end(CloseReason reason) {
    if (!ended) {
      session.loop().sweep().tell(session, reason);
      session.loop().memory().leaves(this);
      ended = true;
      session.abandon(reason.words());
      Subscriptions subscriptions = session.intake().subscriptions();
      if (subscriptions != null) {
        subscriptions.pushes().drop();
      }
      close();
    }
  }

  /** The client is gone. */
  void close() {
    forgive();
    session.loop().memory().changed(this);
  }
}
