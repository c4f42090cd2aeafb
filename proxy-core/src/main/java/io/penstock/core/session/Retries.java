package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange.Destination;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.NodeRefusal;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.Redirection;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that a node refused to run, or never got, and that are sent again
 * until their deadline, or as long as they may be held.
 *
 * <p>Two requests for one key never change places here. Requests for a slot are sent again in
 * order, those that follow a redirect close behind one another; one that was refused for another
 * reason goes alone, when everything behind it has been answered, and those behind it wait for its
 * end. When a later one has run all the same (or may have) before an earlier one could be sent
 * again, the earlier one is answered with the refusal it got, unless they share no key or both only
 * read. Rare, so nothing here is tuned.
 */
final class Retries {

  /** So many redirects in a row are followed at once; the next ones wait. */
  private static final int IMMEDIATE_REDIRECTS = 4;

  private final Session session;
  private final RetryList retries = new RetryList();
  private final MissingScripts scripts;
  private final Fences fences;
  private final Holding holding;
  private final Alarm alarm; // what waits for an earlier request is woken by its end
  private boolean someProbe; // there may be one that goes alone

  Retries(Session session) {
    this.session = session;
    this.fences = new Fences(session);
    this.holding = new Holding(session);
    this.scripts = new MissingScripts(session, fences);
    this.alarm = new Alarm(session::loop, this::sendDue);
  }

  boolean isEmpty() {
    return retries.isEmpty();
  }

  /** True when the error reply means "did not run, try again": then it is not delivered. */
  boolean takesOver(Routed request, ByteBuf buffer, int from, int to) {
    if (request.isScript() && takesOverForScript(request, buffer, from, to)) {
      return true;
    }
    var expected = Refusal.expected(session.loop().isSharded(), request.isForShard());
    Redirection kind = Refusal.of(buffer, from, to, expected);
    if (kind == null || (request.isScript() && !Refusal.isBelievable(kind, buffer, from, to))) {
      return false;
    }
    Redirect redirect = null;
    if (kind == Redirection.MOVED || kind == Redirection.ASK) {
      redirect = Redirect.parse(buffer, from, to - from);
      if (redirect == null) {
        return false;
      }
    }
    boolean late = request.isTooLate();
    if (!late) {
      session.loop().counters().redirected(kind);
    }
    Retry retry = retries.entryFor(request);
    retry.refused(buffer, from, to, kind);
    if (late || retry.overtaken) {
      answer(request, retry.refusal, retry.outcome);
    } else {
      park(retry, redirect, kind);
    }
    return true;
  }

  /** An EVALSHA whose script its node lacks waits until it was loaded there. */
  private boolean takesOverForScript(Routed request, ByteBuf buffer, int from, int to) {
    MissingScripts.Missing missing = scripts.find(request, buffer, from, to);
    if (missing == null || request.isTooLate()) {
      return false;
    }
    Retry retry = retries.entryFor(request);
    if (retry.overtaken || !retry.mayLoadScript()) {
      return false;
    }
    session.loop().counters().redirected(Redirection.NOSCRIPT);
    retry.refused(buffer, from, to, Redirection.NOSCRIPT);
    retry.notBefore = request.lastChance();
    scripts.load(
        missing,
        request,
        () -> {
          retry.notBefore = session.loop().now();
          alarm.at(retry.notBefore);
        });
    alarm.at(request.lastChance());
    return true;
  }

  private void park(Retry retry, @Nullable Redirect redirect, Redirection kind) {
    boolean leads = Directions.take(session.loop().topology(), retry, kind, redirect);
    if (leads && ++retry.redirects <= IMMEDIATE_REDIRECTS) {
      // A new owner may not know yet: it would send this back, and take what follows closely.
      retry.probes = kind == Redirection.MOVED;
      someProbe |= retry.probes;
      retry.notBefore = session.loop().now();
    } else {
      delay(retry);
      fence(retry);
    }
    goOrWait(retry, session.loop().now(), true);
  }

  private void delay(Retry retry) {
    holding.take(retry);
    retry.redirects = 0;
    retry.probes = true;
    someProbe = true;
    retry.notBefore = session.loop().now() + retry.delay();
  }

  /** Has it wait, besides, until all that it could be sent behind of has been answered. */
  private void fence(Retry retry) {
    Endpoint answered = retry.request.sentTo();
    if (answered == null || !fences.isNeededFor(retry.request)) {
      return;
    }
    long due = retry.notBefore;
    retry.notBefore = retry.request.lastChance();
    fences.whenPassed(
        retry.request,
        answered,
        () -> {
          retry.notBefore = due;
          alarm.at(due);
        });
  }

  /** The request failed without a reply; retried when that is safe, else answered. */
  void failed(Routed request, Failure failure) {
    if (failure != Failure.TIMEOUT) { // those behind it fail next: nothing new may overtake them
      session.order().routesChange();
    }
    switch (failure) {
      case NOT_SENT -> notSent(request);
      case NO_OWNER -> again(request, true, session.loop().notServed(), Outcome.UNAVAILABLE);
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
          again(request, false, ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
        } else {
          ran(request);
          answer(request, ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
        }
      }
    }
  }

  /** A node that has never let Penstock in is not waited for. */
  private void notSent(Routed request) {
    NodeRefusal refusal = session.loop().dispatcher().refusal(request.sentTo());
    byte[] reply = ErrorReplies.unavailable(refusal);
    if (refusal != null && refusal.lasting()) {
      request.dropHeld();
      answer(request, reply, Outcome.UNAVAILABLE);
    } else {
      again(request, true, reply, Outcome.UNAVAILABLE);
    }
  }

  /** There may be too many only if it is {@code bounded}: not of what was on its way already. */
  private void again(Routed request, boolean bounded, byte[] refusal, Outcome outcome) {
    request.dropHeld();
    Retry retry = retries.entryFor(request);
    if (retry.overtaken || request.isTooLate() || session.isInputEnded()) {
      holding.gaveUp(request);
      answer(request, refusal, outcome);
      return;
    }
    if (bounded && holding.refuses(retry)) {
      answer(request, ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      return;
    }
    retry.refusal = refusal;
    retry.outcome = outcome;
    retry.askTarget = null;
    delay(retry); // the failures of later requests on the same connection are still to be told
    alarm.at(retry.notBefore);
  }

  private void answer(Routed request, byte[] reply, Outcome outcome) {
    holding.endsInVain(request);
    forget(request);
    request.deliverError(reply, outcome);
  }

  /** The request was answered by the node of its slot: others may follow it closely. */
  void answered(Routed request) {
    if (retries.isEmpty()) {
      return;
    }
    if (someProbe) {
      someProbe = false;
      for (Retry retry : retries.view()) {
        retry.probes &= !retry.request.goesLike(request);
        someProbe |= retry.probes;
      }
    }
    ran(request);
  }

  /**
   * The request ran, or may have: it is done with here, and earlier ones can no longer go before
   * it.
   */
  private void ran(Routed request) {
    if (retries.isEmpty()) {
      return;
    }
    forget(request);
    List<Retry> overtaken = retries.overtakenBy(request, session.loop().topology().current());
    overtaken.forEach(retry -> answer(retry.request, retry.refusal, retry.outcome));
  }

  /** The request has ended. Those that waited for it may go now. */
  void forget(Routed request) {
    holding.ends(request);
    retries.remove(request);
    if (!retries.isEmpty()) {
      alarm.at(session.loop().now());
    }
  }

  /** Sends what is due and does not have to wait for an earlier one of its slot. */
  private void sendDue() {
    long now = session.loop().tick();
    Set<Integer> barred = new HashSet<>(); // slots in which an earlier one waits
    boolean anyNodeBarred = false;
    for (Retry retry : retries.copy()) {
      boolean anyNode = retry.request.destination() == Destination.ANY_NODE;
      boolean forShard = retry.request.isForShard(); // they do not wait for one another
      Integer slot = retry.request.partition();
      if (retry.sent || retry.over) {
        continue;
      }
      goOrWait(retry, now, forShard || (anyNode ? !anyNodeBarred : !barred.contains(slot)));
      if (!retry.sent && !retry.over && anyNode) {
        anyNodeBarred = true;
      } else if (!retry.sent && !retry.over && !forShard) {
        barred.add(slot);
      }
    }
  }

  private void goOrWait(Retry retry, long now, boolean mayGo) {
    // What is decided by these routes is sent by them: in between there may be newer ones.
    Placement routes = session.loop().dispatcher().adoptTopology();
    if (retry.request.isTooLate() || (retry.held && session.isInputEnded())) {
      answer(retry.request, retry.refusal, retry.outcome);
    } else if (mayGo && now - retry.notBefore >= 0 && wouldOvertakeNone(retry, routes)) {
      retry.sent = true;
      fences.resent();
      retry.request.sentLate();
      session.sender().sendAgain(retry.request, retry.askTarget);
    } else {
      retry.askTarget = null; // holds for the moment only: later the owner has to be asked again
      boolean early = now - retry.notBefore < 0;
      alarm.at(
          early ? retry.notBefore : retry.request.lastChance()); // or when the earlier one ends
    }
  }

  /**
   * Behind one that is on its way to the same node, over the same connection, a request runs after
   * it or is refused as it is.
   */
  private boolean wouldOvertakeNone(Retry retry, Placement routes) {
    Routed request = retry.request;
    if (request.destination() == Destination.ANY_NODE) {
      return true;
    }
    Shard owner = request.isForShard() ? null : routes.shardOf(request.partition());
    Endpoint target = retry.askTarget != null || owner == null ? retry.askTarget : owner.master();
    return retries.mayFollowThoseBefore(retry, target);
  }

  /** The client is gone: nothing is sent again. */
  void close() {
    for (Retry retry : retries.copy()) {
      if (!retry.sent) {
        answer(retry.request, retry.refusal, retry.outcome);
      }
    }
    alarm.cancel();
  }
}
