package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.Redirection;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is known of a request that its node refused or never got. Confined to its loop. */
final class Retry {

  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** So often a script is loaded for one call: where a slot goes on to, it may be missing too. */
  private static final int MOST_LOADS = 4;

  final Routed request;

  /** What the client gets when there is no time left. */
  byte[] refusal = ErrorReplies.UNAVAILABLE;

  Outcome outcome = Outcome.ERROR;

  /** Where an ASK sent it; holds for the moment only. */
  @Nullable Endpoint askTarget;

  /** It is on its way. */
  boolean sent;

  /** It has a place among those that are held. */
  boolean held;

  /** It was answered. */
  boolean over;

  /** A later one about the same key ran while this was on its way: it is not sent once more. */
  boolean overtaken;

  /** What refused it may refuse it again while it lets others pass: nothing follows it closely. */
  boolean probes;

  int attempts;

  /** In a row, and followed at once. */
  int redirects;

  long notBefore;
  private int loads;
  private @Nullable RequestKeys keys;

  Retry(Routed request) {
    this.request = request;
  }

  /** Whether its script may be loaded for it; to be asked before each time. */
  boolean mayLoadScript() {
    return ++loads <= MOST_LOADS;
  }

  /** Nanoseconds to wait before it is sent again. */
  long delay() {
    return Math.min(LONGEST_DELAY_NANOS, FIRST_DELAY_NANOS << Math.min(attempts, 10));
  }

  /** A node refused it in these words. Where redirects lead is nothing that a client may know. */
  void refused(ByteBuf buffer, int from, int to, Redirection kind) {
    askTarget = null;
    if (kind == Redirection.MOVED || kind == Redirection.ASK) {
      refusal = ErrorReplies.ON_THE_MOVE;
      outcome = Outcome.UNAVAILABLE;
      return;
    }
    refusal = new byte[to - from];
    buffer.getBytes(from, refusal);
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
   * Whether it is the only one of its slot on the way. A command of several keys may be refused
   * with TRYAGAIN where the next one, for one of them, is not.
   */
  boolean goesAlone() {
    return probes || keys().keys().size() != 1;
  }
}
