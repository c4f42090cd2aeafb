package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is known of a request that its node refused or never got. Confined to its loop. */
final class Retry {

  /** Where a request stands that did not run at first. */
  private enum Stage {
    /** To be sent again. */
    WAITING,
    /** Sent again, and not answered. */
    IN_FLIGHT,
    /** A later one about the same key ran: it is not sent once more. */
    OVERTAKEN,
    /** Answered. */
    ANSWERED
  }

  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * So often a script is loaded for one call: where a partition goes on to, it may be missing too.
   */
  private static final int MAX_SCRIPT_LOADS = 4;

  final ClientExchange request;

  /** What the client gets when there is no time left. */
  byte[] error = ErrorReplies.UNAVAILABLE;

  Outcome outcome = Outcome.ERROR;

  /** Where an ASK sent it; holds for the moment only. */
  @Nullable Endpoint askTarget;

  /** It has a place among those that are held. */
  boolean held;

  private Stage stage = Stage.WAITING;

  /** What refused it may refuse it again while it lets others pass: nothing follows it closely. */
  boolean probe;

  int attempts;

  /** In a row, and followed at once. */
  int redirects;

  long notBefore;
  private int scriptLoads;
  private @Nullable RequestKeys keys;

  Retry(ClientExchange request) {
    this.request = request;
  }

  /** Whether it is to be sent again. */
  boolean isWaiting() {
    return stage == Stage.WAITING;
  }

  /** Whether a later one has run, so that it is not sent once more. */
  boolean isOvertaken() {
    return stage == Stage.OVERTAKEN;
  }

  /** It is sent. */
  void markSent() {
    stage = Stage.IN_FLIGHT;
  }

  /** It did not run this time either. */
  void markNotRun() {
    attempts++;
    if (stage == Stage.IN_FLIGHT) {
      stage = Stage.WAITING;
    }
  }

  /**
   * A later one about the same key has run.
   *
   * @return whether it is to be answered now: it is not on its way
   */
  boolean overtake() {
    boolean waiting = stage == Stage.WAITING;
    stage = Stage.OVERTAKEN;
    return waiting;
  }

  /** It was answered. */
  void markAnswered() {
    stage = Stage.ANSWERED;
  }

  /** Whether its script may be loaded for it; to be asked before each time. */
  boolean mayLoadScript() {
    return ++scriptLoads <= MAX_SCRIPT_LOADS;
  }

  /** Nanoseconds to wait before it is sent again. */
  long delay() {
    return Math.min(MAX_DELAY_NANOS, FIRST_DELAY_NANOS << Math.min(attempts, 10));
  }

  /** A node refused it in these words. Where redirects lead is nothing that a client may know. */
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
   * Whether it is the only one of its partition on the way. A command of several keys may be
   * refused with TRYAGAIN where the next one, for one of them, is not.
   */
  boolean mustRunAlone() {
    return probe || keys().keys().size() != 1;
  }
}
