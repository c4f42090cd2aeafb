package io.penstock.core.session;

import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.reply.Activity;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.transport.SocketOutput;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** For how long a client has kept Penstock waiting, and for what. Confined to its loop. */
final class TimeoutCheck {

  /** A client that sends a request is given a second more for each so many bytes that came. */
  private static final int BYTES_PER_SECOND = 1024;

  private final Session session;
  private final Activity activity;
  private final Input input;
  private final ReplySequence replies;
  private final SocketOutput output;

  // As of the last look:
  private long busyAt; // when it last waited for something itself
  private boolean unknown; // it has not authenticated
  private long unknownSince; // if so
  private boolean partWay; // it has sent a part of a request
  private long partOf; // the number of requests before that
  private long partSince;
  private boolean behind; // it has replies to read
  private long taken; // bytes that it had taken when it last took some
  private long takenAt;

  /** Of a client that is here since {@code now}. */
  TimeoutCheck(Session session, long now) {
    this.session = session;
    this.activity = session.activity();
    this.input = session.input();
    this.replies = session.replies();
    this.output = session.output();
    this.busyAt = now;
  }

  /** Looks at the client, as is done now and then: for what it is to be closed, or null. */
  @Nullable CloseReason check(ClientTimeouts timeouts, long now) {
    if (isOver(timeouts.authentication(), unknownFor(now))) {
      return CloseReason.AUTHENTICATION;
    }
    long more = TimeUnit.SECONDS.toNanos(input.size() / BYTES_PER_SECOND);
    if (isOver(timeouts.request(), partWayFor(now) - more)) {
      return CloseReason.REQUEST;
    }
    boolean subscriber = session.isSubscriber();
    long unwritten = output.unwrittenBytes();
    if (isOver(timeouts.reply(), behindFor(unwritten, now)) && !subscriber) {
      return CloseReason.REPLY; // subscribers have limits of their own
    }
    if (subscriber || unwritten > 0 || isKeptWaiting()) {
      busyAt = now;
    }
    long idle = Math.min(now - busyAt, now - activity.lastBytesAt());
    return isOver(timeouts.idle(), idle) ? CloseReason.IDLE : null;
  }

  /** Whether a request of it, if only one that was not read yet, has no answer. */
  private boolean isKeptWaiting() {
    return !replies.isEmpty() || input.isPutBack() || !session.mayTakeUp();
  }

  private static boolean isOver(Duration timeout, long nanos) {
    return nanos > 0 && !timeout.isZero() && nanos > timeout.toNanos();
  }

  private long unknownFor(long now) {
    if (!unknown) {
      unknownSince = now;
    }
    unknown = !session.isAuthenticated();
    return unknown ? now - unknownSince : 0;
  }

  private long partWayFor(long now) {
    if (!partWay || partOf != activity.requests()) {
      partSince = now;
      partOf = activity.requests();
    }
    partWay = !input.isEmpty() && !input.isPutBack() && session.mayTakeUp();
    return partWay ? now - partSince : 0;
  }

  private long behindFor(long unwritten, long now) {
    long gone = output.appendedBytes() - unwritten;
    if (!behind || gone > taken) {
      takenAt = now;
    }
    taken = gone; // smaller than before when what was added counts for more than its bytes
    behind = unwritten > 0;
    return behind ? now - takenAt : 0;
  }
}
