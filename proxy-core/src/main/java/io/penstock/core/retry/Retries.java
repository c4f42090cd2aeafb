package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange.Destination;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.Alarm;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.core.upstream.Shard;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client that a node refused to run, or never got, and that are sent again
 * until their deadline, or as long as they may be held.
 *
 * <p>Two requests for one key never change places here. Requests for a partition are sent again in
 * order, those that follow a redirect close behind one another; one that was refused for another
 * reason goes alone, when everything behind it has been answered, and those behind it wait for its
 * end. When a later one has run all the same (or may have) before an earlier one could be sent
 * again, the earlier one is answered with the refusal it got, unless they share no key or both only
 * read. Rare, so nothing here is tuned.
 */
public final class Retries {

  /** So many redirects in a row are followed at once; the next ones wait. */
  private static final int IMMEDIATE_REDIRECTS = 4;

  private final ExchangeOwner owner;
  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final OrderGuard order;
  private final LoopCounters counters;
  private final RetryableErrors retryableErrors;
  private final RetryList retries = new RetryList();
  private final MissingScripts scripts;
  private final Fences fences;
  private final ClientHeldRequests held;
  private final Alarm alarm; // what waits for an earlier request is woken by its end
  private boolean mayHaveProbe; // there may be one that goes alone

  /**
   * @param shared what retries of all clients of a loop have in common
   * @param order of the client's requests, which is told while there are retries
   */
  public Retries(ClientContext context, RetryLoop shared, OrderGuard order) {
    this.client = context.client();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.counters = shared.counters();
    this.retryableErrors = shared.retryableErrors();
    this.order = order;
    this.owner = new ExchangeOwner(context, this);
    this.fences = new Fences(context);
    this.held = new ClientHeldRequests(client, nodes.heldRequests());
    this.scripts = new MissingScripts(context, fences, shared.scripts());
    this.alarm = new Alarm(loop, this::sendDue);
  }

  /** The client, as its exchanges see it. */
  public ExchangeOwner owner() {
    return owner;
  }

  private Retry entryFor(ClientExchange request) {
    order.retrying(true);
    return retries.entryFor(request);
  }

  /** True when the error reply means "did not run, try again": then it is not delivered. */
  boolean handleRetryableError(ClientExchange request, ByteBuf buffer, int from, int to) {
    if (request.isScript() && loadMissingScript(request, buffer, from, to)) {
      return true;
    }
    Scope scope = request.isForShard() ? Scope.SHARD : Scope.KEYS;
    RetryableError said =
        request.isScript()
            ? retryableErrors.parseForScript(request, scope, buffer, from, to)
            : retryableErrors.parse(request, scope, buffer, from, to);
    if (said == null) {
      return false;
    }
    boolean late = request.isTooLateToSend();
    if (!late && said.prefix() != null) {
      counters.countRedirect(said.prefix());
    }
    Retry retry = entryFor(request);
    retry.setError(buffer, from, to, said.action());
    if (late || retry.isOvertaken()) {
      answer(request, retry.error, retry.outcome);
    } else {
      schedule(retry, said);
    }
    return true;
  }

  /** An EVALSHA whose script its node lacks waits until it was loaded there. */
  private boolean loadMissingScript(ClientExchange request, ByteBuf buffer, int from, int to) {
    MissingScripts.Missing missing = scripts.find(request, buffer, from, to);
    if (missing == null || request.isTooLateToSend()) {
      return false;
    }
    Retry retry = entryFor(request);
    if (retry.isOvertaken() || !retry.mayLoadScript()) {
      return false;
    }
    counters.countRedirect(RetryablePrefix.NOSCRIPT);
    retry.setError(buffer, from, to, ErrorAction.RETRY);
    retry.notBefore = request.sendDeadline();
    scripts.load(
        missing,
        request,
        () -> {
          retry.notBefore = loop.now();
          alarm.scheduleAt(retry.notBefore);
        });
    alarm.scheduleAt(request.sendDeadline());
    return true;
  }

  private void schedule(Retry retry, RetryableError said) {
    retryableErrors.applyToTopology(said);
    Endpoint target = said.target();
    if (target != null && ++retry.redirects <= IMMEDIATE_REDIRECTS) {
      follow(retry, said, target);
    } else {
      delay(retry);
      waitForFence(retry);
    }
    sendOrWait(retry, loop.now(), true);
  }

  private void follow(Retry retry, RetryableError said, Endpoint target) {
    // The node found a key that was not known to be one; a partition's owner does not mind ASKING.
    boolean known = said.isMoved() && retry.request.isForPartition(said.partition());
    retry.askTarget = known ? null : target;
    // A new owner may not know yet: it would send this back, and take what follows closely.
    retry.probe = said.isMoved();
    mayHaveProbe |= retry.probe;
    retry.notBefore = loop.now();
  }

  private void delay(Retry retry) {
    held.add(retry);
    retry.redirects = 0;
    retry.probe = true;
    mayHaveProbe = true;
    retry.notBefore = loop.now() + retry.delay();
  }

  /** Has it wait, besides, until all that it could be sent behind of has been answered. */
  private void waitForFence(Retry retry) {
    Endpoint answered = retry.request.sentTo();
    if (answered == null || !fences.isNeededFor(retry.request)) {
      return;
    }
    long due = retry.notBefore;
    retry.notBefore = retry.request.sendDeadline();
    fences.whenPassed(
        retry.request,
        answered,
        () -> {
          retry.notBefore = due;
          alarm.scheduleAt(due);
        });
  }

  /** The request failed without a reply; retried when that is safe, else answered. */
  void onFailure(ClientExchange request, Failure failure) {
    if (failure != Failure.TIMEOUT) { // those behind it fail next: nothing new may overtake them
      order.onRoutesChange();
    }
    switch (failure) {
      case NOT_SENT -> onNotSent(request);
      case NO_OWNER -> retryLater(request, true, nodes.notServed(), Outcome.UNAVAILABLE);
      case OVERLOADED -> answer(request, ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      case TIMEOUT -> {
        boolean reads = request.isReadOnly();
        markExecuted(request);
        answer(
            request,
            reads ? ErrorReplies.TIMEOUT_READ : ErrorReplies.TIMEOUT_WRITE,
            Outcome.TIMEOUT);
      }
      case CONNECTION_LOST -> {
        if (request.isReadOnly()) {
          retryLater(request, false, ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
        } else {
          markExecuted(request);
          answer(request, ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
        }
      }
    }
  }

  /** A node that has never let Penstock in is not waited for. */
  private void onNotSent(ClientExchange request) {
    HandshakeError refusal = nodes.handshakeError(request.sentTo());
    byte[] reply = ErrorReplies.unavailable(refusal);
    if (refusal != null && refusal.permanent()) {
      request.dropPending();
      answer(request, reply, Outcome.UNAVAILABLE);
    } else {
      retryLater(request, true, reply, Outcome.UNAVAILABLE);
    }
  }

  /** There may be too many only if it is {@code bounded}: not of what was on its way already. */
  private void retryLater(ClientExchange request, boolean bounded, byte[] refusal, Outcome outcome) {
    request.dropPending();
    Retry retry = entryFor(request);
    if (retry.isOvertaken() || request.isTooLateToSend() || client.isInputEnded()) {
      held.giveUp(request);
      answer(request, refusal, outcome);
      return;
    }
    if (bounded && held.rejects(retry)) {
      answer(request, ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      return;
    }
    retry.error = refusal;
    retry.outcome = outcome;
    retry.askTarget = null;
    delay(retry); // the failures of later requests on the same connection are still to be told
    alarm.scheduleAt(retry.notBefore);
  }

  private void answer(ClientExchange request, byte[] reply, Outcome outcome) {
    held.giveUpIfHeld(request);
    remove(request);
    request.answer(reply, outcome);
  }

  /** The request was answered by the node of its partition: others may follow it closely. */
  void onAnswered(ClientExchange request) {
    if (retries.isEmpty()) {
      return;
    }
    if (mayHaveProbe) {
      mayHaveProbe = false;
      for (Retry retry : retries.view()) {
        retry.probe &= !retry.request.hasSameDestination(request);
        mayHaveProbe |= retry.probe;
      }
    }
    markExecuted(request);
  }

  /**
   * The request ran, or may have: it is done with here, and earlier ones can no longer go before
   * it.
   */
  private void markExecuted(ClientExchange request) {
    if (retries.isEmpty()) {
      return;
    }
    remove(request);
    List<Retry> overtaken = retries.overtakenBy(request, nodes.placement());
    overtaken.forEach(retry -> answer(retry.request, retry.error, retry.outcome));
  }

  /** The request has ended. Those that waited for it may go now. */
  void remove(ClientExchange request) {
    held.finishIfHeld(request);
    retries.remove(request);
    order.retrying(!retries.isEmpty());
    if (!retries.isEmpty()) {
      alarm.scheduleAt(loop.now());
    }
  }

  /** Sends what is due and does not have to wait for an earlier one of its partition. */
  private void sendDue() {
    long now = loop.tick();
    Set<Integer> barred = new HashSet<>(); // partitions in which an earlier one waits
    boolean anyNodeBarred = false;
    for (Retry retry : retries.copy()) {
      if (!retry.isWaiting()) {
        continue;
      }
      boolean anyNode = retry.request.destination() == Destination.ANY_NODE;
      boolean forShard = retry.request.isForShard(); // they do not wait for one another
      Integer partition = retry.request.partition();
      sendOrWait(retry, now, forShard || (anyNode ? !anyNodeBarred : !barred.contains(partition)));
      if (retry.isWaiting() && anyNode) {
        anyNodeBarred = true;
      } else if (retry.isWaiting() && !forShard) {
        barred.add(partition);
      }
    }
  }

  private void sendOrWait(Retry retry, long now, boolean mayGo) {
    Placement routes = nodes.placement();
    if (retry.request.isTooLateToSend() || (retry.held && client.isInputEnded())) {
      answer(retry.request, retry.error, retry.outcome);
    } else if (mayGo && now - retry.notBefore >= 0 && keepsOrder(retry, routes)) {
      retry.markSent();
      fences.onResend();
      retry.request.extendDeadline();
      sendAgain(retry.request, retry.askTarget);
    } else {
      retry.askTarget = null; // holds for the moment only: later the owner has to be asked again
      boolean early = now - retry.notBefore < 0;
      alarm.scheduleAt(
          early ? retry.notBefore : retry.request.sendDeadline()); // or when the earlier one ends
    }
  }

  private void sendAgain(ClientExchange request, @Nullable Endpoint askTarget) {
    if (askTarget == null) {
      request.sendPrerequisites(nodes::dispatch);
      nodes.dispatch(request);
    } else {
      request.sendPrerequisites(ahead -> nodes.dispatchTo(askTarget, ahead, false));
      nodes.dispatchTo(askTarget, request, true);
    }
  }

  /**
   * Behind one that is on its way to the same node, over the same connection, a request runs after
   * it or is refused as it is.
   */
  private boolean keepsOrder(Retry retry, Placement routes) {
    ClientExchange request = retry.request;
    if (request.destination() == Destination.ANY_NODE) {
      return true;
    }
    Shard owner = request.isForShard() ? null : routes.shardOf(request.partition());
    Endpoint target = retry.askTarget != null || owner == null ? retry.askTarget : owner.master();
    return retries.mayFollowEarlier(retry, target);
  }

  /** The client is gone: nothing is sent again. */
  public void close() {
    for (Retry retry : retries.copy()) {
      if (retry.isWaiting()) {
        answer(retry.request, retry.error, retry.outcome);
      }
    }
    alarm.cancel();
  }
}
