package io.penstock.core.session;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.transport.Loop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When a client came, what it asked last and when, and how long it has kept Penstock waiting. Times
 * are {@link System#nanoTime()}. Confined to its loop.
 */
final class Activity {

  /** Who sends a request is given a second more for each so many bytes that came. */
  private static final int BYTES_PER_SECOND = 1024;

  private final long connectedAt;
  private long lastBytesAt;
  private long bytes;
  private long requests;
  private long requestsBefore; // before the last bytes
  private @Nullable CommandSpec lastCommand;

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

  Activity(long now) {
    connectedAt = now;
    lastBytesAt = now;
    busyAt = now;
  }

  void bytes(Loop loop, int count) {
    long now = loop.tick();
    if (requests - requestsBefore <= 1) { // who pipelines fills turns without others
      loop.crowd().heard(lastBytesAt, now);
    }
    requestsBefore = requests;
    lastBytesAt = now;
    bytes += count;
  }

  void request(@Nullable CommandSpec command) {
    requests++;
    lastCommand = command;
  }

  long connectedAt() {
    return connectedAt;
  }

  long lastBytesAt() {
    return lastBytesAt;
  }

  /** Bytes that it has sent so far. */
  long bytes() {
    return bytes;
  }

  /** Requests so far: the newest one's place among them. */
  long requests() {
    return requests;
  }

  @Nullable CommandSpec lastCommand() {
    return lastCommand;
  }

  /** Looks at the client, as is done now and then: for what it is to be closed, or null. */
  @Nullable CloseReason overdue(Session session, ClientTimeouts timeouts, long now) {
    if (isOver(timeouts.authentication(), unknownFor(session, now))) {
      return CloseReason.AUTHENTICATION;
    }
    long more = TimeUnit.SECONDS.toNanos(session.input().size() / BYTES_PER_SECOND);
    if (isOver(timeouts.request(), partWayFor(session, now) - more)) {
      return CloseReason.REQUEST;
    }
    boolean subscriber = Subscriptions.isSubscriber(session);
    long unwritten = session.output().unwritten();
    if (isOver(timeouts.reply(), behindFor(session, unwritten, now)) && !subscriber) {
      return CloseReason.REPLY; // subscribers have limits of their own
    }
    if (subscriber || unwritten > 0 || isKeptWaiting(session)) {
      busyAt = now;
    }
    long idle = Math.min(now - busyAt, now - lastBytesAt);
    return isOver(timeouts.idle(), idle) ? CloseReason.IDLE : null;
  }

  /** Whether a request of it, if only one that was not read yet, has no answer. */
  private static boolean isKeptWaiting(Session session) {
    return !session.sequence().isEmpty() || session.input().isPutBack() || !session.mayTakeUp();
  }

  private static boolean isOver(Duration timeout, long nanos) {
    return nanos > 0 && !timeout.isZero() && nanos > timeout.toNanos();
  }

  private long unknownFor(Session session, long now) {
    if (!unknown) {
      unknownSince = now;
    }
    unknown = !session.isAuthenticated();
    return unknown ? now - unknownSince : 0;
  }

  private long partWayFor(Session session, long now) {
    if (!partWay || partOf != requests) {
      partSince = now;
      partOf = requests;
    }
    Input input = session.input();
    partWay = !input.isEmpty() && !input.isPutBack() && session.mayTakeUp();
    return partWay ? now - partSince : 0;
  }

  private long behindFor(Session session, long unwritten, long now) {
    long gone = session.output().bytes() - unwritten;
    if (!behind || gone > taken) {
      takenAt = now;
    }
    taken = gone; // smaller than before when what was added counts for more than its bytes
    behind = unwritten > 0;
    return behind ? now - takenAt : 0;
  }
}
