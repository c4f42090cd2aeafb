package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.Alarm;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.dispatch.Destination;
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
 * The requests of one client that got a retryable error or never reached a node. They are sent
 * again until their deadline, or as long as they may be held.
 *
 * <p>Two requests for one key never change places here. Requests for a partition are sent again in
 * order. Those that follow a redirect are sent close behind one another. A request that did not run
 * for another reason is sent alone, when everything behind it has been answered, and the requests
 * behind it wait for its end. If a later request has run (or may have run) before an earlier one
 * could be sent again, the earlier one is answered with the error it got, unless they share no key
 * or both only read. This is rare, so nothing here is tuned.
 */
public final class Retries {

  /** Redirects in a row that are followed at once; further ones wait. */
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
  private final Alarm alarm; // a request that waits for an earlier one is woken when that ends
  private boolean mayHaveProbe; // false if no retry is a probe

  /**
   * @param shared by the retries of all clients of a loop
   * @param order of the client's requests; it is notified while there are retries
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

  /** The client as its exchanges see it. */
  public ExchangeOwner owner() {
    return owner;
  }

  private Retry entryFor(ClientExchange request) {
    order.setRetrying(true);
    return retries.entryFor(request);
  }

  /**
   * Handles the error reply if it is retryable. Returns whether it is; if so, the caller must not
   * deliver it.
   */
  boolean handleRetryableError(ClientExchange request, ByteBuf buffer, int from, int to) {
    if (request.isScript() && loadMissingScript(request, buffer, from, to)) {
      return true;
    }
    Scope scope = request.isForShard() ? Scope.SHARD : Scope.KEYS;
    RetryableError error =
        request.isScript()
            ? retryableErrors.parseForScript(request, scope, buffer, from, to)
            : retryableErrors.parse(request, scope, buffer, from, to);
    if (error == null || (isNoScript(error) && !order.mayReadMasterInstead(request))) {
      return false;
    }
    boolean late = request.isTooLateToSend();
    if (!late && error.prefix() != null) {
      counters.countRetryableError(error.prefix());
    }
    Retry retry = entryFor(request);
    retry.setError(buffer, from, to, error.action());
    if (late || retry.isOvertaken()) {
      answer(request, retry.error, retry.outcome);
    } else {
      schedule(retry, error);
    }
    return true;
  }

  /** Returns whether a replica lacks a script that Penstock does not know either. */
  private static boolean isNoScript(RetryableError error) {
    return error.prefix() == RetryablePrefix.NOSCRIPT;
  }

  /**
   * If the error says that the node lacks the script, loads it; the {@code EVALSHA} waits for that.
   * Returns whether it does.
   */
  private boolean loadMissingScript(ClientExchange request, ByteBuf buffer, int from, int to) {
    MissingScripts.Missing missing = scripts.find(request, buffer, from, to);
    if (missing == null || request.isTooLateToSend()) {
      return false;
    }
    Retry retry = entryFor(request);
    if (retry.isOvertaken() || !retry.mayLoadScript()) {
      return false;
    }
    counters.countRetryableError(RetryablePrefix.NOSCRIPT);
    retry.setError(buffer, from, to, ErrorAction.RETRY);
    retry.waitsFor = WaitsFor.SCRIPT;
    scripts.load(missing, request, () -> waitUntil(retry, loop.now()));
    alarm.scheduleAt(retry.wakeAt());
    return true;
  }

  private void schedule(Retry retry, RetryableError error) {
    retryableErrors.applyToTopology(error);
    order.onRejected(retry.request, error);
    Endpoint target = error.target();
    if (target != null && ++retry.redirects <= IMMEDIATE_REDIRECTS) {
      follow(retry, error, target);
    } else if (isNoScript(error)) {
      retry.waitsFor = WaitsFor.TURN; // at the master
    } else {
      long due = delay(retry, retry.request.sentTo(), error.rejection(retry.error));
      waitForFence(retry, due);
    }
    sendOrWait(retry, loop.now(), true);
  }

  private void follow(Retry retry, RetryableError error, Endpoint target) {
    // If the partition is another one, the node found a key that Penstock did not; ASKING does no
    // harm at the owner.
    boolean known = error.isMoved() && retry.request.isForPartition(error.partition());
    retry.askTarget = known ? null : target;
    // A new owner may not know yet that it is the owner: it would redirect this request and accept
    // those close behind it.
    retry.probe = error.isMoved();
    mayHaveProbe |= retry.probe;
    retry.waitsFor = WaitsFor.TURN;
  }

  /** Holds the request; see {@link ClientHeldRequests#add}. Returns when it may be sent. */
  private long delay(Retry retry, @Nullable Endpoint node, byte @Nullable [] rejection) {
    held.add(retry, node, rejection);
    retry.redirects = 0;
    retry.probe = true;
    mayHaveProbe = true;
    long due = loop.now() + retry.delay();
    retry.waitsFor = WaitsFor.time(due);
    return due;
  }

  private void waitUntil(Retry retry, long time) {
    retry.waitsFor = WaitsFor.time(time);
    alarm.scheduleAt(time);
  }

  /**
   * Makes the retry wait first until everything that it must not be sent behind has been answered,
   * and then until it is due.
   */
  private void waitForFence(Retry retry, long due) {
    Endpoint answered = retry.request.sentTo();
    if (answered != null && fences.isNeededFor(retry.request)) {
      retry.waitsFor = WaitsFor.FENCE;
      fences.whenPassed(retry.request, answered, () -> waitUntil(retry, due));
    }
  }

  /** Handles a failure without a reply: retries the request if that is safe, else answers it. */
  void onFailure(ClientExchange request, Failure failure) {
    if (failure != Failure.TIMEOUT) { // those behind it fail next; no new request may overtake them
      order.onConnectionsChange();
    }
    if (failure == Failure.NOT_SENT || failure == Failure.CONNECTION_LOST) {
      order.onReadFailed(request); // not if a limit was hit: that would overload another node
    }
    switch (failure) {
      case NOT_SENT -> onNotSent(request);
      case NO_OWNER -> holdWithoutNode(request, nodes.notServed());
      case NO_REPLICA -> holdWithoutNode(request, ErrorReplies.NO_REPLICA);
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
          retryLater(
              request, request.sentTo(), false, ErrorReplies.CONNLOST_READ, Outcome.CONNLOST);
        } else {
          markExecuted(request);
          answer(request, ErrorReplies.CONNLOST_WRITE, Outcome.CONNLOST);
        }
      }
    }
  }

  /** A node that does not accept Penstock's handshake is not waited for. */
  private void onNotSent(ClientExchange request) {
    HandshakeError handshakeError = nodes.handshakeError(request.sentTo());
    byte[] reply = ErrorReplies.unavailable(handshakeError);
    if (handshakeError != null && handshakeError.permanent() && !request.readsReplica()) {
      request.dropReply();
      answer(request, reply, Outcome.UNAVAILABLE);
    } else {
      retryLater(request, request.sentTo(), true, reply, Outcome.UNAVAILABLE);
    }
  }

  /** Holds a request until a node serves its keys. */
  private void holdWithoutNode(ClientExchange request, byte[] reply) {
    retryLater(request, null, true, reply, Outcome.UNAVAILABLE);
  }

  /**
   * Retries the request later.
   *
   * @param node that could not be reached; null if no node serves its keys
   * @param bounded whether it is rejected if the failover hold is full; false for what was in
   *     flight
   */
  private void retryLater(
      ClientExchange request,
      @Nullable Endpoint node,
      boolean bounded,
      byte[] error,
      Outcome outcome) {
    request.dropReply();
    Retry retry = entryFor(request);
    if (retry.isOvertaken() || request.isTooLateToSend() || client.isInputEnded()) {
      held.giveUp(request);
      answer(request, error, outcome);
      return;
    }
    if (bounded && held.rejects(retry)) {
      answer(request, ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      return;
    }
    retry.error = error;
    retry.outcome = outcome;
    retry.askTarget = null;
    delay(retry, node, null); // later requests on the same connection fail only after this
    alarm.scheduleAt(retry.wakeAt());
  }

  private void answer(ClientExchange request, byte[] reply, Outcome outcome) {
    held.giveUpIfHeld(request);
    remove(request);
    request.end(reply, outcome);
  }

  /** Notes that the node of its partition answered the request: others may follow it closely. */
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
   * Notes that the request ran, or may have: it is not retried, and earlier ones may no longer be
   * sent before it.
   */
  private void markExecuted(ClientExchange request) {
    if (retries.isEmpty()) {
      return;
    }
    remove(request);
    List<Retry> overtaken = retries.overtakenBy(request, nodes.placement());
    overtaken.forEach(retry -> answer(retry.request, retry.error, retry.outcome));
  }

  /** Removes a request that has ended. Requests that waited for it may be sent now. */
  void remove(ClientExchange request) {
    held.finishIfHeld(request);
    retries.remove(request);
    order.setRetrying(!retries.isEmpty());
    if (!retries.isEmpty()) {
      alarm.scheduleAt(loop.now());
    }
  }

  /** Sends the retries that are due and need not wait for an earlier one of their partition. */
  private void sendDue() {
    long now = loop.tick();
    Set<Integer> blocked = new HashSet<>(); // partitions in which an earlier retry waits
    boolean anyNodeBlocked = false;
    for (Retry retry : retries.copy()) {
      if (!retry.isWaiting()) {
        continue;
      }
      boolean anyNode = retry.request.destination() == Destination.ANY_NODE;
      boolean forShard = retry.request.isForShard(); // these do not wait for one another
      Integer partition = retry.request.partition();
      sendOrWait(
          retry, now, forShard || (anyNode ? !anyNodeBlocked : !blocked.contains(partition)));
      if (retry.isWaiting() && anyNode) {
        anyNodeBlocked = true;
      } else if (retry.isWaiting() && !forShard) {
        blocked.add(partition);
      }
    }
  }

  private void sendOrWait(Retry retry, long now, boolean maySend) {
    Placement placement = nodes.placement();
    if (retry.request.isTooLateToSend() || (retry.held && client.isInputEnded())) {
      answer(retry.request, retry.error, retry.outcome);
    } else if (maySend && retry.isDue(now) && keepsOrder(retry, placement)) {
      retry.markSent();
      fences.onResend();
      retry.request.extendDeadline();
      sendAgain(retry.request, retry.askTarget);
    } else {
      retry.askTarget = null; // valid only now; a later attempt goes to the owner
      if (retry.isDue(now)) {
        retry.waitsFor = WaitsFor.TURN;
      }
      alarm.scheduleAt(retry.wakeAt());
    }
  }

  private void sendAgain(ClientExchange request, @Nullable Endpoint askTarget) {
    if (askTarget == null) {
      request.sendPrerequisites(nodes::dispatch);
      nodes.dispatch(request);
      request.afterDispatch(nodes::dispatch);
    } else {
      request.sendPrerequisites(ahead -> nodes.dispatchTo(askTarget, ahead, false));
      nodes.dispatchTo(askTarget, request, true);
      request.afterDispatch(behind -> nodes.dispatchTo(askTarget, behind, true));
    }
  }

  /**
   * Returns whether the retry can be sent without overtaking an earlier one. Behind one that is in
   * flight to the same node over the same connection, a request runs after it or gets the same
   * error.
   */
  private boolean keepsOrder(Retry retry, Placement placement) {
    ClientExchange request = retry.request;
    if (request.destination() == Destination.ANY_NODE) {
      return true;
    }
    Shard owner = request.isForShard() ? null : placement.shardOf(request.partition());
    Endpoint target = retry.askTarget;
    if (target != null) {
      request.readFromMaster(); // a node answers ASKING as a master
    } else if (owner != null) {
      target = order.targetOfRetry(request, owner.master());
    }
    return retries.mayFollowEarlier(retry, target);
  }

  /** Ends all retries: the client is closed. */
  public void close() {
    for (Retry retry : retries.copy()) {
      if (retry.isWaiting()) {
        answer(retry.request, retry.error, retry.outcome);
      }
    }
    alarm.cancel();
  }
}
