package io.penstock.core.backend;

import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.upstream.Endpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a node keeps up with what one connection brings it, and whether what it is to bring back
 * leaves room for more large replies: a small one behind them waits for all of them. Confined to
 * one event loop.
 */
final class Congestion {

  /** With so many bytes of large replies to come, no more such are asked for. */
  private static final long MOST_EXPECTED = 4 * 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(Congestion.class);

  private final Endpoint node;
  private final QueueLimits bounds;
  private final ThrottledLog refusals = new ThrottledLog();
  private final ThrottledLog pauses = new ThrottledLog();
  private boolean busy;
  private boolean full; // of large replies that are to come

  Congestion(Endpoint node, QueueLimits bounds) {
    this.node = node;
    this.bounds = bounds;
  }

  /** Whether clients should pause. */
  boolean isBusy() {
    return busy;
  }

  /** Whether one more large reply may be asked for. */
  boolean hasRoomForLargeReply(Link link) {
    full |= link.expectedReplyBytes() >= MOST_EXPECTED;
    return !full;
  }

  /** Whether the link can take no more: whatever would be sent fails. */
  boolean mustReject(Link link) {
    return busy && isTooMuch(link);
  }

  private boolean isTooMuch(Link link) {
    if (!bounds.mustReject(link.inFlight(), link.unsentBytes())) {
      return false;
    }
    refusals.log(times ->
        log.warn(
            "{} does not keep up, with {} commands unanswered and {} bytes unsent on one connection:"
                + " {} refused since the last such line",
            node,
            link.inFlight(),
            link.unsentBytes(),
            times));
    return true;
  }

  /** Sends the exchange over the link. */
  void send(Link link, Exchange exchange, boolean asking) {
    link.send(exchange, asking);
    if (bounds.mustPause(link.inFlight()) && !busy) {
      busy = true;
      pauses.log(times ->
          log.info(
              "{} commands are unanswered on one connection to {}: clients that ask it are not read"
                  + " until half are answered ({} times since the last such line)",
              link.inFlight(),
              node,
              times));
    }
  }

  /** The link takes no more bytes for now. */
  void onUnwritable() {
    busy = true;
  }

  /** Answers true when clients that have paused may go on from now on. */
  boolean tryResume(Link link) {
    boolean hasRoom = full && link.expectedReplyBytes() <= MOST_EXPECTED / 2;
    boolean keepsUp = busy && link.isWritable() && bounds.mayResume(link.inFlight());
    full &= !hasRoom;
    busy &= !keepsUp;
    return hasRoom || keepsUp;
  }

  /** The link is gone. */
  void reset() {
    busy = false;
    full = false;
  }
}
