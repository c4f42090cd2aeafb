package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.cluster.RefreshTrigger;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.Redirection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that a node refused to run, or never got, and that are sent again
 * until their deadline.
 *
 * <p>Two requests for one slot never change places here: of several for a slot only the earliest is
 * on its way, and when a later one has run (or may have) before an earlier one could be sent again,
 * the earlier one is answered with the refusal it got, unless both only read. Rare, so nothing here
 * is tuned.
 */
final class Retries {

  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** So many redirects in a row are followed at once; the next ones wait. */
  private static final int IMMEDIATE_REDIRECTS = 4;

  private final Session session;
  private final List<Retry> retries = new ArrayList<>(0); // by order of the requests
  private long wakeUpAt = Long.MAX_VALUE;

  Retries(Session session) {
    this.session = session;
  }

  /** Mutable record of one request's fate. */
  private static final class Retry {
    final Routed request;
    byte[] refusal = ErrorReplies.UNAVAILABLE;
    Outcome outcome = Outcome.ERROR;
    @Nullable Node askTarget;
    boolean sent;
    int attempts;
    long notBefore;

    Retry(Routed request) {
      this.request = request;
    }
  }

  boolean isEmpty() {
    return retries.isEmpty();
  }

  /** True when the error reply means "did not run, try again": then it is not delivered. */
  boolean takesOver(Routed request, ByteBuf buffer, int from, int to) {
    Redirection kind =
        session.loop().isSharded() ? kindOf(buffer, from, to) : loadingOnly(buffer, from, to);
    if (kind == null || session.isClosed() || session.loop().now() - request.deadline() >= 0) {
      return false;
    }
    Redirect redirect = null;
    if (kind == Redirection.MOVED || kind == Redirection.ASK) {
      redirect = Redirect.parse(buffer, from, to - from);
      if (redirect == null) {
        return false;
      }
    }
    session.loop().counters().redirected(kind);
    byte[] refusal = new byte[to - from];
    buffer.getBytes(from, refusal);
    park(request, refusal, redirect, kind);
    return true;
  }

  private void park(Routed request, byte[] refusal, @Nullable Redirect redirect, Redirection kind) {
    Retry retry = entryFor(request);
    retry.refusal = refusal;
    retry.outcome = Outcome.ERROR;
    retry.askTarget = null;
    Node answered = request.sentTo();
    if (redirect != null && answered != null) {
      Node target = redirect.target(answered);
      if (redirect.kind() == Redirect.Kind.MOVED) {
        session.loop().topology().moved(redirect.slot(), target);
      } else {
        session.loop().topology().requestRefresh(RefreshTrigger.ASK);
        retry.askTarget = target;
      }
    }
    boolean atOnce = redirect != null && retry.attempts <= IMMEDIATE_REDIRECTS;
    retry.notBefore = session.loop().now() + (atOnce ? 0 : delay(retry.attempts));
    if (kind == Redirection.CLUSTERDOWN) {
      session.loop().topology().requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    }
    sendDue();
  }

  private static long delay(int attempts) {
    return Math.min(LONGEST_DELAY_NANOS, FIRST_DELAY_NANOS << Math.min(attempts, 10));
  }

  /** The request failed without a reply; retried when that is safe, else answered. */
  void failed(Routed request, Failure failure) {
    boolean late = session.isClosed() || session.loop().now() - request.deadline() >= 0;
    switch (failure) {
      case NOT_SENT -> again(request, late, ErrorReplies.UNAVAILABLE, Outcome.UNAVAILABLE);
      case NO_OWNER -> again(request, late, ErrorReplies.NOT_SERVED, Outcome.UNAVAILABLE);
      case OVERLOADED -> answer(request, ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      case TIMEOUT -> {
        boolean reads = request.isReadOnly();
        ran(request);
        answer(
            request,
            reads ? ErrorReplies.TIMEOUT_READ : ErrorReplies.TIMEOUT_WRITE,
            Outcome.TIMEOUT);
      }
      case CONNECTION_LOST -> {
        if (request.isReadOnly()) {
          again(request, late, ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
        } else {
          ran(request);
          answer(request, ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
        }
      }
    }
  }

  private void again(Routed request, boolean late, byte[] refusal, Outcome outcome) {
    if (late) {
      answer(request, refusal, outcome);
      return;
    }
    Retry retry = entryFor(request);
    retry.refusal = refusal;
    retry.outcome = outcome;
    retry.askTarget = null;
    // Never at once: the failures of later requests on the same connection are still to be told.
    retry.notBefore = session.loop().now() + delay(retry.attempts);
    wakeUp(retry.notBefore);
  }

  private void answer(Routed request, byte[] reply, Outcome outcome) {
    forget(request);
    if (!retries.isEmpty()) {
      wakeUp(session.loop().now()); // those that waited for this one may go now
    }
    request.deliverError(reply, outcome);
  }

  /**
   * The request ran, or may have: it is done with here, and earlier ones can no longer go before
   * it.
   */
  void ran(Routed request) {
    if (retries.isEmpty()) {
      return;
    }
    forget(request);
    for (Retry retry : List.copyOf(retries)) {
      Routed earlier = retry.request;
      if (!retry.sent
          && earlier.order() < request.order()
          && earlier.slot() == request.slot()
          && !(earlier.isReadOnly() && request.isReadOnly())) {
        answer(earlier, retry.refusal, retry.outcome);
      }
    }
    if (!retries.isEmpty()) {
      wakeUp(session.loop().now()); // those that waited for this one may go now
    }
  }

  private void forget(Routed request) {
    retries.removeIf(retry -> retry.request == request);
  }

  private Retry entryFor(Routed request) {
    int at = 0;
    for (; at < retries.size(); at++) {
      Retry known = retries.get(at);
      if (known.request == request) {
        known.sent = false;
        known.attempts++;
        return known;
      }
      if (known.request.order() > request.order()) {
        break;
      }
    }
    Retry retry = new Retry(request);
    retries.add(at, retry);
    return retry;
  }

  /** Sends what is due and has no earlier request for its slot before it. */
  private void sendDue() {
    long now = session.loop().tick();
    Set<Integer> taken = new HashSet<>();
    for (Retry retry : List.copyOf(retries)) {
      boolean mayGo = taken.add(retry.request.slot()) && !retry.sent && retries.contains(retry);
      if (!mayGo) {
        continue;
      }
      if (now - retry.request.deadline() >= 0) {
        answer(retry.request, retry.refusal, retry.outcome);
      } else if (now - retry.notBefore >= 0) {
        retry.sent = true;
        send(retry.request, retry.askTarget);
      } else {
        wakeUp(retry.notBefore);
      }
    }
  }

  private void send(Exchange request, @Nullable Node askTarget) {
    if (askTarget == null) {
      session.loop().dispatcher().dispatch(request);
    } else {
      session.loop().dispatcher().dispatchTo(askTarget, request, true);
    }
  }

  /** Looks again at {@code time}; what waits for an earlier request is woken by its end. */
  private void wakeUp(long time) {
    if (time - wakeUpAt >= 0) {
      return;
    }
    wakeUpAt = time;
    long delay = Math.max(0, time - System.nanoTime());
    session
        .loop()
        .executor()
        .schedule(
            () -> {
              wakeUpAt = Long.MAX_VALUE;
              sendDue();
            },
            delay,
            TimeUnit.NANOSECONDS);
  }

  /** The client is gone: nothing is sent again. */
  void close() {
    for (Retry retry : List.copyOf(retries)) {
      if (!retry.sent) {
        answer(retry.request, retry.refusal, retry.outcome);
      }
    }
  }

  private static @Nullable Redirection kindOf(ByteBuf buffer, int from, int to) {
    for (Redirection kind : Redirection.values()) {
      if (startsWith(buffer, from + 1, to, kind.name())) {
        return kind;
      }
    }
    return null;
  }

  private static @Nullable Redirection loadingOnly(ByteBuf buffer, int from, int to) {
    return startsWith(buffer, from + 1, to, "LOADING") ? Redirection.LOADING : null;
  }

  private static boolean startsWith(ByteBuf buffer, int from, int to, String word) {
    int length = word.length();
    if (to - from <= length || buffer.getByte(from + length) != ' ') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (buffer.getByte(from + i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
