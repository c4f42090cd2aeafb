package io.penstock.core.node;

import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Link;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.core.upstream.Endpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backpressure state of one connection: whether the node keeps up with the requests, and
 * whether there is room for more large replies. A small reply behind large ones has to wait for all
 * of them. Confined to one event loop.
 */
final class Congestion {

  /** With this many bytes of large replies expected, no request for another one is sent. */
  private static final long MAX_EXPECTED = 4 * 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(Congestion.class);

  private final Endpoint node;
  private QueueLimits bounds;
  private final String logPrefix;
  private final ThrottledLog rejectedLog = new ThrottledLog();
  private final ThrottledLog pausedLog = new ThrottledLog();
  private boolean busy;
  private boolean full; // too many bytes of large replies are expected

  Congestion(Endpoint node, BackendSettings settings) {
    this.node = node;
    this.bounds = settings.queueLimits();
    this.logPrefix = settings.upstream().prefix();
  }

  /** Replaces the limits. */
  void adopt(BackendSettings settings) {
    bounds = settings.queueLimits();
  }

  /** Returns whether clients should pause. */
  boolean isBusy() {
    return busy;
  }

  /** Returns whether one more request with a large reply may be sent. */
  boolean hasRoomForLargeReply(Link link) {
    full |= link.expectedReplyBytes() >= MAX_EXPECTED;
    return !full;
  }

  /** Returns whether the link is overloaded, so that further exchanges are rejected. */
  boolean mustReject(Link link) {
    return busy && isOverLimit(link);
  }

  private boolean isOverLimit(Link link) {
    if (!bounds.mustReject(link.inFlight(), link.unsentBytes())) {
      return false;
    }
    rejectedLog.log(times ->
        log.warn(
            "{}{} does not keep up: {} requests in flight and {} bytes unsent on one connection;"
                + " {} rejected since the last such line",
            logPrefix,
            node,
            link.inFlight(),
            link.unsentBytes(),
            times));
    return true;
  }

  /** Sends the exchange on the link. */
  void send(Link link, Exchange exchange, boolean asking) {
    link.send(exchange, asking);
    if (bounds.mustPause(link.inFlight()) && !busy) {
      busy = true;
      pausedLog.log(times ->
          log.info(
              "{}{} requests are in flight on one connection to {}: reading from its clients is paused"
                  + " until half are answered ({} times since the last such line)",
              logPrefix,
              link.inFlight(),
              node,
              times));
    }
  }

  /** The channel is not writable. */
  void onUnwritable() {
    busy = true;
  }

  /** Returns whether paused clients can be resumed now. */
  boolean tryResume(Link link) {
    boolean roomAgain = full && link.expectedReplyBytes() <= MAX_EXPECTED / 2;
    boolean writableAgain = busy && link.isWritable() && bounds.mayResume(link.inFlight());
    full &= !roomAgain;
    busy &= !writableAgain;
    return roomAgain || writableAgain;
  }

  /** The link is closed. */
  void reset() {
    busy = false;
    full = false;
  }
}
