package io.penstock.core.node;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendException;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.ConnectionState;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Handshake;
import io.penstock.core.backend.Link;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.backend.WaitQueue;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leased connection: a connection to one node for the exclusive use of one client, for commands
 * that would disturb others on a shared one. It connects once; when it is lost, its exchanges fail.
 * The holder must call {@link #release} or {@link #discard} once. Confined to one event loop.
 */
public final class Lease extends NodeConnection {

  private static final Logger log = LoggerFactory.getLogger(Lease.class);
  private static final byte[] CLIENT_ID = Handshake.encode("CLIENT", "ID");

  private final BackendContext backend;
  private final LeasePool pool;
  private final Protocol protocol;
  private final ConnectionKey connections;
  private final WaitQueue waiting;
  private long backendClientId;
  private long idleSince;
  private @Nullable Runnable observer; // set while it is used for a turn

  /**
   * @param connections which of the node's it is one of
   */
  Lease(Endpoint node, Protocol protocol, ConnectionKey connections, LeasePool pool) {
    super(
        node,
        Handshake.of(connections, node, protocol, pool.backend()),
        new ConnectionState.Connecting());
    this.backend = pool.backend();
    this.pool = pool;
    this.protocol = protocol;
    this.waiting = new WaitQueue(_ -> {}, backend.traits().isReplaceable(node));
    this.connections = connections;
  }

  @Override
  BackendContext backend() {
    return backend;
  }

  void connect() {
    backend.connect(node, this);
  }

  public Endpoint node() {
    return node;
  }

  /** Returns whether an exchange with this protocol and these connections can use it. */
  boolean fits(Protocol spoken, ConnectionKey needed) {
    return protocol == spoken && connections.equals(needed);
  }

  /**
   * The node's CLIENT ID of this connection; 0 before it is ready, and if the user is not permitted
   * to read it.
   */
  public long backendClientId() {
    return backendClientId;
  }

  /** Returns whether exchanges can be sent, now or when it is connected. */
  public boolean isOpen() {
    return !(state instanceof ConnectionState.Closed);
  }

  /**
   * Sends the exchange now, or as soon as it is connected.
   *
   * @param asking whether to send {@code ASKING} first
   */
  public void send(Exchange exchange, boolean asking) {
    exchange.sentTo(node);
    switch (state) {
      case ConnectionState.Ready(Link link) -> link.send(exchange, asking);
      case ConnectionState.Closed _ -> exchange.onFailure(Failure.NOT_SENT);
      case ConnectionState.Idle _,
          ConnectionState.Connecting _,
          ConnectionState.Handshaking _,
          ConnectionState.BackingOff _ ->
          waiting.add(exchange, asking);
    }
  }

  /** Like {@link #send}, for an exchange that may have waited: its timeout restarts now. */
  public void sendAfterWait(Exchange exchange, boolean asking) {
    if (backend.extendDeadline(exchange)) {
      send(exchange, asking);
    } else {
      exchange.fail(Failure.NOT_SENT);
    }
  }

  /**
   * Runs {@code action} whenever the number of pending replies may have changed, until the
   * connection is returned. No blocking command may be sent on an observed connection: it is closed
   * when it is silent for too long.
   */
  public void observe(Runnable action) {
    observer = action;
  }

  /** Returns whether exchanges that have not expired are in flight or waiting. */
  public boolean isAwaited() {
    return waiting.size() > 0
        || (state instanceof ConnectionState.Ready(Link link) && link.isAwaited());
  }

  /** Returns whether replies are pending or exchanges wait to be sent. */
  public boolean hasPending() {
    return waiting.size() > 0
        || (state instanceof ConnectionState.Ready(Link link) && link.inFlight() > 0);
  }

  private void notifyObserver() {
    Runnable action = observer;
    if (action != null) {
      action.run();
    }
  }

  /** Removes an unsent exchange; returns false if it was sent. */
  public boolean withdraw(Exchange exchange) {
    return waiting.remove(exchange);
  }

  /**
   * Returns the connection to the pool. The caller must leave it clean: no watched keys and no
   * blocked call. It is closed if replies are pending.
   */
  public void release() {
    observer = null;
    if (state instanceof ConnectionState.Ready(Link link) && link.inFlight() == 0) {
      pool.takeBack(this);
    } else {
      discard();
    }
  }

  /** Closes the connection; exchanges in flight fail. */
  public void discard() {
    observer = null;
    end(new BackendException("no longer needed"));
  }

  int inFlight() {
    return state instanceof ConnectionState.Ready(Link link) ? link.inFlight() : waiting.size();
  }

  void idleSince(long now) {
    idleSince = now;
  }

  long idleSince() {
    return idleSince;
  }

  /** Expires exchanges past their deadline. */
  void tick(long now) {
    if (waiting.expire(now)) {
      backend.listener().onNoReply(node); // to the handshake
    }
    if (state instanceof ConnectionState.Ready(Link link)) {
      boolean late = link.expire(now);
      if ((observer != null && link.checkUnresponsive(now)) || late) {
        backend.listener().onNoReply(node);
      }
      if (observer != null && link.isSilentFor(backend.settings().longestSilenceNanos(), now)) {
        fail(new BackendException("no data from the node while replies are pending"));
      }
    }
    notifyObserver();
  }

  /**
   * Returns whether replies are pending and no data arrives. A blocking call may be silent without
   * limit.
   */
  boolean isUnresponsive() {
    return state instanceof ConnectionState.Ready(Link link) && link.isUnresponsive();
  }

  /** See {@link BackendConnection#markReplaced}. */
  void markReplaced(boolean timedOut) {
    if (timedOut) {
      fail(BackendException.replaced());
    } else if (state instanceof ConnectionState.Ready(Link link)) {
      link.markReplaced();
    }
  }

  @Override
  public NodeCounters counters() {
    return pool.counters();
  }

  @Override
  public void onConnected(Link link) {
    if (startHandshake(link, 1)) {
      link.send(CLIENT_ID, new IdExchange());
    }
  }

  /** Reads the CLIENT ID. Users without the permission for it do without. */
  private final class IdExchange extends Exchange {

    IdExchange() {
      sendOptions(protocol(), 0, Long.MAX_VALUE);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      if (buffer.getByte(from) == ':') {
        backendClientId =
            Long.parseLong(buffer.toString(from + 1, to - from - 3, StandardCharsets.US_ASCII));
      }
      onHandshakeReply(Handshake.seriousErrorIn(buffer, from, to));
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      throw new IllegalStateException("CLIENT ID was answered with a large reply");
    }

    @Override
    public void onFailure(Failure failure) {
      // The connection has been notified of the loss.
    }
  }

  @Override
  void onReady(Link link) {
    pool.onReady();
    while (isReady() && waiting.size() > 0) {
      var first = waiting.removeFirst();
      sendAfterWait(first.exchange(), first.asking());
    }
  }

  @Override
  public void onSelectionRejected(String error) {
    if (state instanceof ConnectionState.Handshaking handshaking) {
      state = new ConnectionState.Closed();
      pool.onClosed(this, false, 0);
      handshaking.close();
      handshaking.link().failInFlight();
      waiting.answer(error);
      notifyObserver();
    }
  }

  @Override
  public void onConnectFailed(Throwable cause) {
    fail(cause);
  }

  @Override
  public void onBytes(Link from, ByteBuf in) {
    if (!isOpen()) {
      in.release();
      return;
    }
    pool.onReceived(in.readableBytes());
    String problem = from.onBytes(in);
    if (problem != null) {
      fail(new BackendException("the node sent " + problem));
    }
    notifyObserver();
  }

  @Override
  public void onWritabilityChanged(boolean writable) {
    // One client waits for each reply, so no backpressure is needed.
  }

  @Override
  public void onDisconnected(Link from) {
    fail(BackendException.of(node, "the node closed the connection"));
  }

  @Override
  public void onException(Link from, Throwable cause) {
    fail(cause);
  }

  @Override
  void fail(Throwable cause) {
    if (isOpen()) {
      log.debug("An exclusive connection to {} failed: {}", node, cause.getMessage());
      boolean wasReady = isReady();
      if (wasReady) {
        pool.markSuspect(); // before callbacks of the loss lease another
      } else {
        pool.onConnectFailed(cause);
      }
      end(cause);
      pool.onFailed(wasReady, cause);
    }
  }

  /** Closes it: everything in flight or waiting fails. */
  private void end(Throwable cause) {
    ConnectionState last = state;
    if (last instanceof ConnectionState.Closed) {
      return;
    }
    state = new ConnectionState.Closed();
    @Nullable Link link = last.link();
    pool.onClosed(this, last instanceof ConnectionState.Ready, link == null ? 0 : link.bytesSent());
    last.close();
    if (link != null) {
      link.failInFlight();
    }
    waiting.close();
    notifyObserver();
    log.trace("closed an exclusive connection to {}: {}", node, cause.getMessage());
  }
}
