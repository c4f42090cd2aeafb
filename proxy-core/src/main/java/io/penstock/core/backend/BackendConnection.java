package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One shared, pipelined connection to one node: exchanges of all clients of a loop leave in the
 * order they were given. It connects with the first of them, comes back by itself after a loss, and
 * holds what was not sent yet. Confined to one event loop.
 */
final class BackendConnection implements LinkListener {

  /** From so many waiting exchanges on, clients are not read until there is a connection. */
  private static final int MANY_WAITING = 1_024;

  private final Endpoint node;
  private final BackendContext site;
  private final Handshake handshake;
  private final NodeCounters counters;
  private final WaitQueue waiting;
  private final Congestion congestion;

  private ConnectionState state = new ConnectionState.Idle();
  private boolean wasReady;
  private int failures; // to connect, in a row

  BackendConnection(Endpoint node, Protocol protocol, BackendContext site, NodeCounters counters) {
    this(node, node.access(), protocol, site, counters);
  }

  /**
   * @param access in place of the node's own
   */
  BackendConnection(
      Endpoint node, Access access, Protocol protocol, BackendContext site, NodeCounters counters) {
    this.node = node;
    this.site = site;
    this.waiting = new WaitQueue(site.heldRequests()::leave);
    this.handshake = new Handshake(access, protocol);
    this.counters = counters;
    this.congestion = new Congestion(node, site.settings().queueLimits());
  }

  /**
   * Sends the exchange now, or as soon as there is a connection.
   *
   * @param asking whether {@code ASKING} goes first, as after an ASK redirect
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
        || (failures > 0 && isShutOut())) { // it goes on to try
      exchange.onFailure(Failure.NOT_SENT);
    } else if (site.heldRequests().tryEnter(exchange)) {
      waiting.add(exchange, asking);
      connectIfIdle();
    } else {
      exchange.onFailure(Failure.OVERLOADED);
    }
  }

  /** False while the node does not take requests as fast as clients ask. */
  boolean isWritable() {
    return state instanceof ConnectionState.Ready(Link link)
        ? !congestion.isBusy() && link.isWritable()
        : waiting.size() < MANY_WAITING;
  }

  /** False while so much of large replies is to come that no more should be asked for. */
  boolean hasRoomForLargeReply() {
    return !(state instanceof ConnectionState.Ready(Link link))
        || congestion.hasRoomForLargeReply(link);
  }

  private void relax(Link link) {
    if (congestion.tryResume(link)) {
      site.listener().onWritable();
    }
  }

  /** Connects if nobody has asked for it yet. */
  void connectIfIdle() {
    if (state instanceof ConnectionState.Idle) {
      connect();
    }
  }

  boolean isReady() {
    return state instanceof ConnectionState.Ready;
  }

  /** The one link of which events count: those of earlier ones are ignored. */
  private boolean isCurrent(Link link) {
    return link == state.link();
  }

  int inFlight() {
    Link link = state.link();
    return link == null ? 0 : link.inFlight();
  }

  /** Exchanges in flight or waiting for a connection. */
  int pending() {
    return inFlight() + waiting.size();
  }

  /** Bytes sent on the current channel. */
  long bytesSent() {
    return state instanceof ConnectionState.Ready(Link link) ? link.bytesSent() : 0;
  }

  /** Takes back exchanges that were never sent and that {@code which} accepts, in order. */
  void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    waiting.withdraw(which, into);
  }

  private void connect() {
    state = new ConnectionState.Connecting();
    site.connect(node, this);
  }

  @Override
  public void onConnectFailed(Throwable cause) {
    if (state instanceof ConnectionState.Connecting) {
      lost(cause);
    }
  }

  @Override
  public void onConnected(Link link) {
    if (!(state instanceof ConnectionState.Connecting connecting)) {
      link.closeChannel();
      return;
    }
    var timer =
        site.later(
            () -> abort(new BackendException("no answer to the handshake in time")),
            site.settings().connectTimeout().toMillis());
    var shaking = connecting.connected(link, handshake.size(), timer);
    state = shaking;
    handshake.send(link, this);
    becomeReadyIfDone(shaking);
  }

  @Override
  public void onHandshakeReply(@Nullable String error) {
    if (!(state instanceof ConnectionState.Handshaking shaking)) {
      return;
    }
    if (error != null) {
      abort(Handshake.failure(error));
      return;
    }
    var next = shaking.answered();
    state = next;
    becomeReadyIfDone(next);
  }

  private void becomeReadyIfDone(ConnectionState.Handshaking shaking) {
    if (shaking.expected() > 0) {
      return;
    }
    boolean wasLost = wasReady || failures > 0;
    var ready = shaking.done();
    state = ready;
    failures = 0;
    counters.connected(wasReady);
    wasReady = true;
    site.listener().onConnected(node);
    while (isCurrent(ready.link()) && waiting.size() > 0) {
      sendLate(ready.link(), waiting.removeFirst(), wasLost);
    }
    site.listener().onWritable();
  }

  /** Nothing is done for who has gone while the node could not be reached. */
  private void sendLate(Link link, WaitQueue.Waiting next, boolean wasLost) {
    Exchange exchange = next.exchange();
    if (wasLost && !exchange.isClientConnected()) {
      exchange.fail(Failure.NOT_SENT);
    } else {
      site.heldRequests().countOutcome(exchange, HeldOutcome.SERVED);
      site.extendDeadline(exchange);
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
      abort(new BackendException("the node sent " + problem));
    }
    relax(from);
  }

  @Override
  public void onWritabilityChanged(boolean writable) {
    if (writable && state instanceof ConnectionState.Ready(Link link)) {
      relax(link);
    } else {
      congestion.onUnwritable();
    }
  }

  @Override
  public void onDisconnected(Link from) {
    if (isCurrent(from)) {
      lost(new BackendException("the node closed the connection"));
    }
  }

  @Override
  public void onException(Link from, Throwable cause) {
    if (isCurrent(from)) {
      abort(cause);
    }
  }

  /** Ends the current channel because of {@code cause}, and begins again. */
  private void abort(Throwable cause) {
    ConnectionState broken = state;
    if (broken.link() != null) {
      lost(cause);
      broken.close();
    }
  }

  /**
   * The channel, or the attempt to get one, has ended: everything in flight fails, and a timer
   * tries again.
   */
  private void lost(Throwable cause) {
    boolean worked = isReady();
    failures = worked ? 0 : failures + 1;
    counters.failed();
    counters.failed(node, cause);
    if (state instanceof ConnectionState.Handshaking shaking) {
      shaking.timer().cancel(false);
    }
    end(new ConnectionState.BackingOff(site.retry(this::connect, failures)));
    if (isShutOut()) {
      waiting.close(exchange -> site.heldRequests().countOutcome(exchange, HeldOutcome.GIVEN_UP));
    }
    site.listener().onDisconnected(node, failures, cause);
  }

  /** Whether nothing is gained by waiting for the next attempt: the node never let Penstock in. */
  private boolean isShutOut() {
    HandshakeError refusal = counters.handshakeError();
    return refusal != null && refusal.permanent();
  }

  /** Whatever is in flight fails, when {@code next} holds already. */
  private void end(ConnectionState next) {
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
   * Called several times per command timeout: ends what is past its deadline. A node that owes
   * nothing is asked for a sign of life after {@code idleNanos} without one.
   */
  void tick(long now, long idleNanos) {
    if (waiting.expire(now)) {
      site.listener().onWritable();
    }
    if (!(state instanceof ConnectionState.Ready(Link link))) {
      return;
    }
    boolean late = link.expire(now);
    if (link.checkUnresponsive(now) || late) {
      site.listener().onNoReply(node);
    }
    relax(link);
    if (isCurrent(link) && link.isSilentFor(site.settings().longestSilenceNanos(), now)) {
      abort(new BackendException("the node owes replies and is silent"));
    } else if (isCurrent(link)) {
      link.pingIfIdle(idleNanos, now);
    }
  }

  /**
   * Another node has taken this one's place. If this one owes replies and is silent, what it
   * acknowledges from here on is not believed.
   *
   * @param over whether it has had time to answer; if so it is given up, and what is in flight
   *     fails
   * @return whether it owes replies and is silent
   */
  boolean markReplaced(boolean over) {
    if (!(state instanceof ConnectionState.Ready(Link link)) || !link.isUnresponsive()) {
      return false;
    }
    if (over) {
      abort(BackendException.replaced());
    } else {
      link.markReplaced();
    }
    return true;
  }

  /** Closes for good; what is in flight or waiting fails. */
  void close() {
    ConnectionState last = state;
    end(new ConnectionState.Closed());
    last.close();
    waiting.close();
  }
}
