package io.penstock.core.node;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendException;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.ConnectionState;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Handshake;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.Link;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.backend.WaitQueue;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.function.Predicate;

/**
 * A shared, pipelined connection to one node. It sends the exchanges of all clients of a loop in
 * the order given. It connects with the first exchange, reconnects after a loss, and keeps unsent
 * exchanges in a failover hold. Confined to one event loop.
 */
final class BackendConnection extends NodeConnection {

  /** With this many waiting exchanges, reading from clients is paused until it has connected. */
  private static final int PAUSE_THRESHOLD = 1_024;

  private BackendContext backend;
  private final NodeCounters counters;
  private final WaitQueue waiting;
  private final Congestion congestion;

  private boolean wasReady;
  private int failures; // consecutive failures to connect

  BackendConnection(
      Endpoint node, Protocol protocol, BackendContext backend, NodeCounters counters) {
    this(node, new Handshake(node, protocol, backend.settings().chain()), backend, counters);
  }

  BackendConnection(
      Endpoint node, Handshake handshake, BackendContext backend, NodeCounters counters) {
    super(node, handshake, new ConnectionState.Idle());
    this.backend = backend;
    this.waiting =
        new WaitQueue(backend.heldRequests()::leave, backend.traits().isReplaceable(node));
    this.counters = counters;
    this.congestion = new Congestion(node, backend.settings());
  }

  @Override
  BackendContext backend() {
    return backend;
  }

  /** Replaces the settings. The timeout of connecting is for later connects. */
  void adopt(BackendSettings settings) {
    backend = backend.with(settings);
    congestion.adopt(settings);
  }

  /**
   * Sends the exchange now, or as soon as it is connected.
   *
   * @param asking whether to send {@code ASKING} first, as after an ASK redirect
   */
  void send(Exchange exchange, boolean asking) {
    exchange.sentTo(node);
    if (state instanceof ConnectionState.Ready(Link link)) {
      if (congestion.mustReject(link)) {
        exchange.onFailure(Failure.OVERLOADED);
      } else {
        congestion.send(link, exchange, asking);
      }
    } else if (state instanceof ConnectionState.Closed
        || (failures > 0 && hasPermanentError())) { // it keeps reconnecting
      exchange.onFailure(Failure.NOT_SENT);
    } else if (backend.heldRequests().tryEnter(exchange, node, null)) {
      waiting.add(exchange, asking);
      connectIfIdle();
    } else {
      exchange.onFailure(Failure.OVERLOADED);
    }
  }

  /** Returns false while the node does not keep up with the requests of its clients. */
  boolean isWritable() {
    return state instanceof ConnectionState.Ready(Link link)
        ? !congestion.isBusy() && link.isWritable()
        : waiting.size() < PAUSE_THRESHOLD;
  }

  /** Returns false while so many bytes of large replies are expected that no more fit. */
  boolean hasRoomForLargeReply() {
    return !(state instanceof ConnectionState.Ready(Link link))
        || congestion.hasRoomForLargeReply(link);
  }

  private void resumeClients(Link link) {
    if (congestion.tryResume(link)) {
      backend.listener().onWritable();
    }
  }

  /** Connects if it is idle. */
  void connectIfIdle() {
    if (state instanceof ConnectionState.Idle) {
      connect();
    }
  }

  /** See {@link Link#hasAnsweredSince}. */
  boolean hasAnsweredSince(long time) {
    return state instanceof ConnectionState.Ready(Link link) && link.hasAnsweredSince(time);
  }

  /** Returns whether the latest attempt to connect has failed. */
  boolean isFailing() {
    return failures > 0;
  }

  /** Returns whether {@code link} is the current one. Events of earlier links are ignored. */
  private boolean isCurrent(Link link) {
    return link == state.link();
  }

  int inFlight() {
    Link link = state.link();
    return link == null ? 0 : link.inFlight();
  }

  /** Exchanges in flight or waiting for the connection. */
  int pending() {
    return inFlight() + waiting.size();
  }

  /** The same without what a handshake has sent. */
  int unanswered() {
    return waiting.size() + (isReady() ? inFlight() : 0);
  }

  /** Removes unsent exchanges that {@code which} accepts, in order. */
  void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    waiting.withdraw(which, into);
  }

  private void connect() {
    state = new ConnectionState.Connecting();
    backend.connect(node, this);
  }

  @Override
  public NodeCounters counters() {
    return counters;
  }

  @Override
  public void onConnectFailed(Throwable cause) {
    if (state instanceof ConnectionState.Connecting) {
      onLost(cause);
    }
  }

  @Override
  public void onConnected(Link link) {
    startHandshake(link, 0);
  }

  @Override
  public void onSelectionRejected(String error) {
    ConnectionState rejected = state;
    if (rejected instanceof ConnectionState.Handshaking) {
      failures++;
      counters.countError();
      changeState(
          new ConnectionState.BackingOff(
              backend.scheduleReconnect(this::reconnectIfAwaited, failures)));
      rejected.close();
      waiting.answer(error);
    }
  }

  /** Connects for what waits; without that the connection may never be needed again. */
  private void reconnectIfAwaited() {
    if (waiting.size() > 0) {
      connect();
    } else {
      state = new ConnectionState.Idle();
    }
  }

  @Override
  void onReady(Link link) {
    boolean wasLost = wasReady || failures > 0;
    failures = 0;
    counters.connected(wasReady);
    wasReady = true;
    backend.listener().onConnected(node);
    while (isCurrent(link) && waiting.size() > 0) {
      sendWaiting(link, waiting.removeFirst(), wasLost);
    }
    backend.listener().onWritable();
  }

  /** Fails the exchange if its client disconnected while the node could not be reached. */
  private void sendWaiting(Link link, WaitQueue.Waiting next, boolean wasLost) {
    Exchange exchange = next.exchange();
    if (wasLost && !exchange.isWanted()) {
      exchange.fail(Failure.NOT_SENT);
    } else {
      backend.heldRequests().countOutcome(exchange, HeldOutcome.SERVED);
      backend.extendDeadline(exchange);
      congestion.send(link, exchange, next.asking());
    }
  }

  @Override
  public void onBytes(Link from, ByteBuf in) {
    if (!isCurrent(from)) {
      in.release();
      return;
    }
    counters.received(in.readableBytes());
    String problem = from.onBytes(in);
    if (problem != null) {
      fail(new BackendException("the node sent " + problem));
    }
    resumeClients(from);
  }

  @Override
  public void onWritabilityChanged(boolean writable) {
    if (writable && state instanceof ConnectionState.Ready(Link link)) {
      resumeClients(link);
    } else {
      congestion.onUnwritable();
    }
  }

  @Override
  public void onDisconnected(Link from) {
    if (isCurrent(from)) {
      onLost(BackendException.of(node, "the node closed the connection"));
    }
  }

  @Override
  public void onException(Link from, Throwable cause) {
    if (isCurrent(from)) {
      fail(cause);
    }
  }

  /** Closes the current channel because of {@code cause}, and reconnects. */
  @Override
  void fail(Throwable cause) {
    ConnectionState failed = state;
    if (failed.link() != null) {
      onLost(cause);
      failed.close();
    }
  }

  /**
   * Handles the loss of the channel, or a failed attempt to connect: fails everything in flight and
   * schedules the next attempt.
   */
  private void onLost(Throwable cause) {
    boolean worked = isReady();
    failures = worked ? 0 : failures + 1;
    counters.countError();
    counters.onFailed(node, cause);
    if (state instanceof ConnectionState.Handshaking handshaking) {
      handshaking.timer().cancel(false);
    }
    changeState(new ConnectionState.BackingOff(backend.scheduleReconnect(this::connect, failures)));
    if (hasPermanentError()) {
      waiting.close(exchange -> backend.heldRequests().countOutcome(exchange, HeldOutcome.FAILED));
    }
    backend.listener().onDisconnected(node, failures, cause);
  }

  /** Returns whether waiting is useless: the node does not accept Penstock's handshake. */
  private boolean hasPermanentError() {
    HandshakeError error = counters.handshakeError();
    return error != null && error.permanent();
  }

  /** Changes to {@code next}, then fails everything in flight. */
  private void changeState(ConnectionState next) {
    Link gone = state.link();
    if (gone != null && isReady()) {
      counters.disconnected(gone.bytesSent());
    }
    congestion.reset();
    state = next;
    if (gone != null) {
      gone.failInFlight();
    }
  }

  /**
   * Expires exchanges past their deadline. Sends PING to a node without pending replies from which
   * nothing has come for {@code idleNanos}. Called several times per command timeout.
   */
  void tick(long now, long idleNanos) {
    if (waiting.expire(now)) {
      backend.listener().onWritable();
    }
    if (!(state instanceof ConnectionState.Ready(Link link))) {
      return;
    }
    boolean late = link.expire(now);
    if (link.checkUnresponsive(now) || late) {
      backend.listener().onNoReply(node);
    }
    resumeClients(link);
    if (isCurrent(link) && link.isSilentFor(backend.settings().longestSilenceNanos(), now)) {
      fail(new BackendException("no data from the node while replies are pending"));
    } else if (isCurrent(link)) {
      link.pingIfIdle(idleNanos, now);
    }
  }

  /**
   * Another node took over from this one. If this one is unresponsive (replies pending, no data),
   * its later success replies are no longer trusted.
   *
   * @param timedOut whether the node has had enough time to answer; if so, the connection is closed
   *     and everything in flight fails
   * @return whether the node is unresponsive
   */
  boolean markReplaced(boolean timedOut) {
    if (!(state instanceof ConnectionState.Ready(Link link)) || !link.isUnresponsive()) {
      return false;
    }
    if (timedOut) {
      fail(BackendException.replaced());
    } else {
      link.markReplaced();
    }
    return true;
  }

  /** Closes permanently. Everything in flight or waiting fails. */
  void close() {
    ConnectionState last = state;
    changeState(new ConnectionState.Closed());
    last.close();
    waiting.close();
  }
}
