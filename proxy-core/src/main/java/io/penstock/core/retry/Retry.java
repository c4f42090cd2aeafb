package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request that got a retryable error or never reached its node. Confined to its loop. */
final class Retry {

  /** The state of a request that did not run at first. */
  private enum Stage {
    /** Waits to be sent again. */
    WAITING,
    /** Sent again and not answered yet. */
    IN_FLIGHT,
    /** A later request for the same key ran: this one is not sent again. */
    OVERTAKEN,
    /** Answered. */
    ANSWERED
  }

  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * Times that a script is loaded for one call: it may be missing at the node that a partition
   * moves to, too.
   */
  private static final int MAX_SCRIPT_LOADS = 4;

  final ClientExchange request;

  /** The reply to the client if no time is left. */
  byte[] error = ErrorReplies.UNAVAILABLE;

  Outcome outcome = Outcome.ERROR;

  /** The node that an {@code ASK} named; valid for the next send only. */
  @Nullable Endpoint askTarget;

  /** Whether the request is in the failover hold. */
  boolean held;

  private Stage stage = Stage.WAITING;

  /**
   * Whether the node may reject this request again and accept others: nothing follows it closely.
   */
  boolean probe;

  int attempts;

  /** Redirects in a row that were followed at once. */
  int redirects;

  WaitsFor waitsFor = WaitsFor.TURN;
  private int scriptLoads;
  private @Nullable RequestKeys keys;

  Retry(ClientExchange request) {
    this.request = request;
  }

  /** Returns whether it waits to be sent again. */
  boolean isWaiting() {
    return stage == Stage.WAITING;
  }

  /** Returns whether a later request has run, so that this one is not sent again. */
  boolean isOvertaken() {
    return stage == Stage.OVERTAKEN;
  }

  /** Returns whether only its turn is left to wait for. */
  boolean isDue(long now) {
    return switch (waitsFor) {
      case WaitsFor.Time time -> now - time.notBefore() >= 0;
      case WaitsFor.Turn _ -> true;
      case WaitsFor.Script _, WaitsFor.Fence _ -> false;
    };
  }

  /**
   * Returns when it may be due, or is too late: what is not waited for by time wakes it earlier.
   */
  long wakeAt() {
    return waitsFor instanceof WaitsFor.Time time ? time.notBefore() : request.sendDeadline();
  }

  /** Notes that it is sent. */
  void markSent() {
    stage = Stage.IN_FLIGHT;
  }

  /** Notes that it did not run this time either. */
  void markNotRun() {
    attempts++;
    if (stage == Stage.IN_FLIGHT) {
      stage = Stage.WAITING;
    }
  }

  /**
   * Notes that a later request for the same key has run.
   *
   * @return whether it must be answered now, because it is not in flight
   */
  boolean overtake() {
    boolean waiting = stage == Stage.WAITING;
    stage = Stage.OVERTAKEN;
    return waiting;
  }

  /** Notes that it was answered. */
  void markAnswered() {
    stage = Stage.ANSWERED;
  }

  /** Counts a load of its script. Returns false if there were too many. */
  boolean mayLoadScript() {
    return ++scriptLoads <= MAX_SCRIPT_LOADS;
  }

  /** Returns the nanoseconds to wait before it is sent again. */
  long delay() {
    return Math.min(MAX_DELAY_NANOS, FIRST_DELAY_NANOS << Math.min(attempts, 10));
  }

  /** Sets the error that a node replied. A client never sees the target of a redirect. */
  void setError(ByteBuf buffer, int from, int to, ErrorAction action) {
    askTarget = null;
    if (action == ErrorAction.REDIRECT) {
      error = ErrorReplies.SLOT_MIGRATING;
      outcome = Outcome.UNAVAILABLE;
      return;
    }
    error = new byte[to - from];
    buffer.getBytes(from, error);
    outcome = Outcome.ERROR;
  }

  RequestKeys keys() {
    RequestKeys known = keys;
    if (known == null) {
      known = request.keys();
      keys = known;
    }
    return known;
  }

  /**
   * Returns whether no other request of its partition may be in flight with it. A multi-key command
   * may get TRYAGAIN where the next one, for one of the keys, runs.
   */
  boolean mustRunAlone() {
    return probe || keys().keys().size() != 1;
  }
}
