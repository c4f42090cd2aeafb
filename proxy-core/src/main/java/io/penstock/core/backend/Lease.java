package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to one node that one client has for itself, for what would disturb others on a
 * shared one. It connects once: when it is lost, what ran on it ends. Whoever has it gives it back
 * with {@link #release} or {@link #discard}, once. Confined to one event loop.
 */
public final class Lease implements LinkListener {

  private static final Logger log = LoggerFactory.getLogger(Lease.class);
  private static final byte[] CLIENT_ID = Handshake.encode("CLIENT", "ID");

  private final Endpoint node;
  private final BackendContext site;
  private final LeasePool pool;
  private final Handshake handshake;
  private final Protocol protocol;
  private final WaitQueue waiting = new WaitQueue(_ -> {});
  private ConnectionState state = new ConnectionState.Connecting();
  private long backendClientId;
  private long idleSince;
  private @Nullable Runnable observer; // whoever takes a turn on it

  Lease(Endpoint node, Protocol protocol, BackendContext site, LeasePool pool) {
    this.node = node;
    this.site = site;
    this.pool = pool;
    this.protocol = protocol;
    this.handshake = new Handshake(node.access(), protocol);
  }

  void connect() {
    site.connect(node, this);
  }

  public Endpoint node() {
    return node;
  }

  Protocol protocol() {
    return protocol;
  }

  /** By what the node knows this connection; 0 before it is ready and where it may not be asked. */
  public long backendClientId() {
    return backendClientId;
  }

  /** Whether exchanges may be sent, now or when it is connected. */
  public boolean isOpen() {
    return !(state instanceof ConnectionState.Closed);
  }

  /** Whether exchanges leave at once. */
  public boolean isReady() {
    return state instanceof ConnectionState.Ready;
  }

  /**
   * Sends the exchange now, or as soon as the connection stands.
   *
   * @param asking whether {@code ASKING} goes first
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

  /** The same for what may have waited: the time for its reply begins now. */
  public void sendAfterWait(Exchange exchange, boolean asking) {
    if (site.extendDeadline(exchange)) {
      send(exchange, asking);
    } else {
      exchange.fail(Failure.NOT_SENT);
    }
  }

  /**
   * Runs {@code action} whenever less may be owed than before, until it is given back. Who observes
   * asks a node for nothing that blocks: a connection that is silent for long is given up.
   */
  public void observe(Runnable action) {
    observer = action;
  }

  /** Whether somebody still waits for what was sent, or is to be sent. */
  public boolean isAwaited() {
    return waiting.size() > 0
        || (state instanceof ConnectionState.Ready(Link link) && link.isAwaited());
  }

  /** Whether replies are to come, or requests to be sent. */
  public boolean hasPending() {
    return waiting.size() > 0
        || (state instanceof ConnectionState.Ready(Link link) && link.inFlight() > 0);
  }

  private void changed() {
    Runnable action = observer;
    if (action != null) {
      action.run();
    }
  }

  /** Takes back an exchange that was not sent; false when it was. */
  public boolean withdraw(Exchange exchange) {
    return waiting.remove(exchange);
  }

  /** Gives the connection back as it was found: nothing is watched, blocked or owed. */
  public void release() {
    observer = null;
    if (state instanceof ConnectionState.Ready(Link link) && link.inFlight() == 0) {
      pool.takeBack(this);
    } else {
      discard();
    }
  }

  /** Closes the connection; what is in flight fails. */
  public void discard() {
    observer = null;
    end(new BackendException("it is not needed any more"));
  }

  int inFlight() {
    return state instanceof ConnectionState.Ready(Link link) ? link.inFlight() : waiting.size();
  }

  /** 0 before it is ready. */
  long bytesSent() {
    return state instanceof ConnectionState.Ready(Link link) ? link.bytesSent() : 0;
  }

  void idleSince(long now) {
    idleSince = now;
  }

  long idleSince() {
    return idleSince;
  }

  /** Ends what is past its deadline. */
  void tick(long now) {
    waiting.expire(now);
    if (state instanceof ConnectionState.Ready(Link link)) {
      boolean late = link.expire(now);
      if ((observer != null && link.checkUnresponsive(now)) || late) {
        site.listener().onNoReply(node);
      }
      if (observer != null && link.isSilentFor(site.settings().longestSilenceNanos(), now)) {
        fail(new BackendException("the node owes replies and is silent"));
      }
    }
    changed();
  }

  /** Whether it owes replies and is silent. What blocks is silent for as long as it likes. */
  boolean isUnresponsive() {
    return state instanceof ConnectionState.Ready(Link link) && link.isUnresponsive();
  }

  /** As {@link BackendConnection#markReplaced}. */
  void markReplaced(boolean over) {
    if (over) {
      fail(BackendException.replaced());
    } else if (state instanceof ConnectionState.Ready(Link link)) {
      link.markReplaced();
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
            () -> fail(new BackendException("no answer to the handshake in time")),
            site.settings().connectTimeout().toMillis());
    state = connecting.connected(link, handshake.size() + 1, timer);
    handshake.send(link, this);
    link.send(CLIENT_ID, new IdExchange());
  }

  /** What the node calls this connection. A user who may not ask does without. */
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
      // The connection is gone and has said so.
    }
  }

  @Override
  public void onHandshakeReply(@Nullable String error) {
    if (!(state instanceof ConnectionState.Handshaking shaking)) {
      return;
    }
    if (error != null) {
      fail(Handshake.failure(error));
      return;
    }
    var next = shaking.answered();
    state = next;
    if (next.expected() == 0) {
      state = next.done();
      pool.onReady();
      while (isReady() && waiting.size() > 0) {
        var first = waiting.removeFirst();
        sendAfterWait(first.exchange(), first.asking());
      }
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
    changed();
  }

  @Override
  public void onWritabilityChanged(boolean writable) {
    // One client's requests: it waits for each reply.
  }

  @Override
  public void onDisconnected(Link from) {
    fail(new BackendException("the node closed the connection"));
  }

  @Override
  public void onException(Link from, Throwable cause) {
    fail(cause);
  }

  private void fail(Throwable cause) {
    if (isOpen()) {
      log.debug("an exclusive connection to {} ends: {}", node, cause.getMessage());
      boolean worked = isReady();
      if (worked) {
        pool.markSuspect(); // before anybody hears of the loss and asks for another
      } else {
        pool.onConnectFailed(cause);
      }
      end(cause);
      pool.onFailed(worked, cause);
    }
  }

  /** From here on nothing is sent; what is owed fails. */
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
    changed();
    log.trace("closed an exclusive connection to {}: {}", node, cause.getMessage());
  }
}
