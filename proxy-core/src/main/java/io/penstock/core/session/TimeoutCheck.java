package io.penstock.core.session;

import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.reply.Activity;
import io.penstock.core.reply.ReplySequence;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks a client's timeouts: how long the client has been idle or has kept Penstock waiting.
 * Confined to its loop.
 */
final class TimeoutCheck {

  /** For this number of bytes that have arrived, a request may take a second longer. */
  private static final int BYTES_PER_SECOND = 1024;

  private final Session session;
  private final Activity activity;
  private final Input input;
  private final ReplySequence replies;
  private final SocketOutput output;

  // As of the last check:
  private long busyAt; // when the client last waited for something itself
  private boolean unauthenticated; // the client has not authenticated
  private long unauthenticatedSince; // if so
  private boolean partial; // the client has sent a part of a request
  private long partialRequest; // the number of requests before that
  private long partialSince;
  private boolean unread; // the client has replies to read
  private long writtenBytes; // bytes written to the socket, as of writtenAt
  private long writtenAt;

  /** Starts the timeouts for a client that has connected at {@code now}. */
  TimeoutCheck(Session session, long now) {
    this.session = session;
    this.activity = session.activity();
    this.input = session.input();
    this.replies = session.replies();
    this.output = session.output();
    this.busyAt = now;
  }

  /** Checks the timeouts. Returns the reason to close the client, or null. Called periodically. */
  @Nullable CloseReason check(ClientTimeouts timeouts, long now) {
    if (isOver(timeouts.authentication(), unauthenticatedFor(now))) {
      return CloseReason.AUTHENTICATION;
    }
    long more = TimeUnit.SECONDS.toNanos(input.size() / BYTES_PER_SECOND);
    if (isOver(timeouts.request(), partialFor(now) - more)) {
      return CloseReason.REQUEST;
    }
    boolean subscriber = session.isSubscriber();
    long unwritten = output.unwrittenBytes();
    if (isOver(timeouts.reply(), unreadFor(unwritten, now)) && !subscriber) {
      return CloseReason.REPLY; // subscribers have a limit of their own
    }
    if (subscriber || unwritten > 0 || waitsForReply()) {
      busyAt = now;
    }
    long idle = Math.min(now - busyAt, now - activity.lastBytesAt());
    return isOver(timeouts.idle(), idle) ? CloseReason.IDLE : null;
  }

  /** Whether the client waits for a reply, or has sent a request that has not been handled yet. */
  private boolean waitsForReply() {
    return !replies.isEmpty() || input.isPutBack() || !session.mayHandleNext();
  }

  private static boolean isOver(Duration timeout, long nanos) {
    return nanos > 0 && !timeout.isZero() && nanos > timeout.toNanos();
  }

  private long unauthenticatedFor(long now) {
    if (!unauthenticated) {
      unauthenticatedSince = now;
    }
    unauthenticated = !session.isAuthenticated();
    return unauthenticated ? now - unauthenticatedSince : 0;
  }

  private long partialFor(long now) {
    if (!partial || partialRequest != activity.requests()) {
      partialSince = now;
      partialRequest = activity.requests();
    }
    partial = !input.isEmpty() && !input.isPutBack() && session.mayHandleNext();
    return partial ? now - partialSince : 0;
  }

  private long unreadFor(long unwritten, long now) {
    long written = output.appendedBytes() - unwritten;
    if (!unread || written > writtenBytes) {
      writtenAt = now;
    }
    writtenBytes = written; // may decrease: appended data can count for more than its bytes
    unread = unwritten > 0;
    return unread ? now - writtenAt : 0;
  }
}
