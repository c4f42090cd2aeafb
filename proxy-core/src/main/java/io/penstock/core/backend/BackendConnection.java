package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.penstock.core.cluster.Node;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.SocketOutput;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One shared, pipelined connection to one node: exchanges of all clients of a loop leave in the
 * order they were given. It connects with the first of them, comes back by itself after a loss, and
 * keeps what was not sent yet until its deadline. Confined to one event loop.
 */
final class BackendConnection {

  private static final Logger log = LoggerFactory.getLogger(BackendConnection.class);
  private static final byte[] ASKING = Handshake.encode("ASKING");

  /** From so many waiting exchanges on, clients are not read until there is a connection. */
  private static final int MANY_WAITING = 1_024;

  /** A connection that owes replies and stays silent this many command timeouts is given up. */
  private static final int SILENT_TIMEOUTS = 3;

  private final Node node;
  private final LoopGroup group;
  private final Loop loop;
  private final BackendSettings settings;
  private final Handshake handshake;
  private final BackendListener listener;
  private final NodeCounters counters;
  private final Backoff backoff = new Backoff();
  private final WaitingLine waiting = new WaitingLine();

  private ConnectionState state = new ConnectionState.Idle();
  private @Nullable SocketOutput output; // not null exactly while Ready
  private @Nullable Channel channel; // the current one; events of earlier ones are ignored
  private ReplyStream replies = new ReplyStream();
  private Silence silence = new Silence();
  private boolean wasConnected;

  BackendConnection(Node node, Protocol protocol, BackendSite site, NodeCounters counters) {
    this.node = node;
    this.group = site.group();
    this.loop = site.loop();
    this.settings = site.settings();
    this.listener = site.listener();
    this.handshake = new Handshake(settings, protocol);
    this.counters = counters;
  }

  /**
   * Sends the exchange now, or as soon as there is a connection.
   *
   * @param asking whether {@code ASKING} goes first, as after an ASK redirect
   */
  void send(Exchange exchange, boolean asking) {
    exchange.sentTo(node);
    SocketOutput out = output;
    if (out == null) {
      await(exchange, asking);
      return;
    }
    if (replies.inFlight() == 0) {
      silence.broken(loop.now());
    }
    if (asking) {
      out.append(ASKING);
      replies.sent(ControlExchange.ABANDONED);
    }
    out.append(exchange.sharedBytes().buffer(), exchange.offset(), exchange.length());
    replies.sent(exchange);
  }

  /** False while the node does not read as fast as clients ask. */
  boolean isWritable() {
    SocketOutput out = output;
    return out == null ? waiting.size() < MANY_WAITING : out.channel().isWritable();
  }

  /** Connects if nobody has asked for it yet. */
  void prepare() {
    if (state instanceof ConnectionState.Idle) {
      connect();
    }
  }

  boolean isReady() {
    return output != null;
  }

  int inFlight() {
    return replies.inFlight();
  }

  /** Exchanges in flight or waiting for a connection. */
  int owed() {
    return replies.inFlight() + waiting.size();
  }

  private void await(Exchange exchange, boolean asking) {
    if (waiting.size() >= settings.maxWaiting()) {
      exchange.onFailure(Failure.OVERLOADED);
      return;
    }
    if (state instanceof ConnectionState.Closed) {
      exchange.onFailure(Failure.NOT_SENT);
      return;
    }
    waiting.add(exchange, asking);
    prepare();
  }

  /** Takes back exchanges that were never sent and that {@code which} accepts, in order. */
  void withdraw(Predicate<Exchange> which, ArrayDeque<Exchange> into) {
    waiting.withdraw(which, into);
  }

  private void connect() {
    state = new ConnectionState.Connecting();
    int millis = (int) settings.connectTimeout().toMillis();
    ChannelFuture attempt =
        group
            .client(loop, millis)
            .handler(new BackendPipeline(this))
            .connect(InetSocketAddress.createUnresolved(node.host(), node.port()));
    attempt.addListener(
        done -> {
          if (!done.isSuccess()) {
            lost(done.cause());
          }
        });
  }

  /** The TCP connection stands; called by the channel's handler. */
  void onConnected(ChannelHandlerContext context) {
    if (state instanceof ConnectionState.Closed) {
      context.close();
      return;
    }
    channel = context.channel();
    var out = new SocketOutput(context, loop.flushQueue());
    replies = new ReplyStream();
    silence = new Silence();
    silence.broken(loop.tick());
    int expected = handshake.requests().size();
    if (expected == 0) {
      ready(out);
      return;
    }
    var timer =
        loop.executor()
            .schedule(
                () -> abort(new BackendException("no answer to the handshake in time")),
                settings.connectTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
    var progress = new ConnectionState.Handshaking(context, expected, timer);
    state = progress;
    for (byte[] request : handshake.requests()) {
      out.append(request);
      replies.sent(new HandshakeExchange(this, out));
    }
  }

  /** One handshake request was answered. */
  void onHandshakeReply(SocketOutput out, @Nullable String error) {
    if (!(state instanceof ConnectionState.Handshaking shaking)) {
      return;
    }
    if (error != null) {
      abort(new BackendException("the node refused the handshake: " + error));
      return;
    }
    ConnectionState.Handshaking next = shaking.answered();
    state = next;
    if (next.expected() == 0) {
      next.timer().cancel(false);
      ready(out);
    }
  }

  private void ready(SocketOutput out) {
    state = new ConnectionState.Ready(out.channel());
    output = out;
    backoff.succeeded();
    counters.connected(wasConnected);
    wasConnected = true;
    listener.connected(node);
    WaitingLine.Waiting next = waiting.poll();
    while (next != null) {
      send(next.exchange(), next.asking());
      next = waiting.poll();
    }
    listener.writableAgain();
  }

  /** Takes ownership of {@code in}. */
  void onBytes(Channel from, ByteBuf in) {
    if (from != channel) {
      in.release();
      return;
    }
    silence.broken(loop.tick());
    counters.received(in.readableBytes());
    String problem = replies.accept(in);
    if (problem != null) {
      abort(new BackendException("the node sent " + problem));
    }
  }

  void onWritabilityChanged(boolean writable) {
    if (writable) {
      listener.writableAgain();
    }
  }

  /** The channel is closed; called by its handler, once per channel that was connected. */
  void onDisconnected(Channel from) {
    if (from == channel) {
      lost(new BackendException("the node closed the connection"));
    }
  }

  /** The channel failed. */
  void onException(Channel from, Throwable cause) {
    if (from == channel) {
      abort(cause);
    }
  }

  /** Ends the current channel because of {@code cause}, and begins again. */
  void abort(Throwable cause) {
    if (state.isAlive()) {
      ConnectionState current = state;
      lost(cause);
      current.closeChannel();
    }
  }

  private void lost(Throwable cause) {
    if (!state.isAlive()) {
      return;
    }
    boolean worked = output != null;
    if (state instanceof ConnectionState.Handshaking shaking) {
      shaking.timer().cancel(false);
    }
    SocketOutput out = output;
    if (out != null) {
      counters.disconnected(out.bytes());
    }
    output = null;
    channel = null;
    counters.failed();
    int attempts = worked ? 0 : backoff.attempts() + 1;
    if (worked) {
      log.info("connection to {} lost: {}", node, cause.getMessage());
    } else if (attempts == 1) {
      log.warn("cannot connect to {}: {}", node, cause.getMessage());
    }
    reconnectLater();
    ReplyStream owed = replies;
    replies = new ReplyStream();
    owed.close();
    listener.disconnected(node, attempts, cause);
  }

  private void reconnectLater() {
    var timer =
        loop.executor().schedule(this::connect, backoff.nextMillis(), TimeUnit.MILLISECONDS);
    state = new ConnectionState.BackingOff(timer);
  }

  /** Called several times per command timeout: ends what is past its deadline. */
  void tick(long now) {
    replies.expire(now);
    if (waiting.expire(now)) {
      listener.writableAgain();
    }
    SocketOutput out = output;
    if (out == null || replies.inFlight() == 0) {
      return;
    }
    if (silence.length(out, now) > SILENT_TIMEOUTS * settings.commandTimeout().toNanos()) {
      abort(new BackendException("the node owes replies and is silent"));
    }
  }

  /** Bytes written on the current channel. */
  long bytesSent() {
    SocketOutput out = output;
    return out == null ? 0 : out.bytes();
  }

  /** Closes for good; what is in flight or waiting fails. */
  void close() {
    ConnectionState last = state;
    state = new ConnectionState.Closed();
    SocketOutput out = output;
    if (out != null) {
      counters.disconnected(out.bytes());
    }
    output = null;
    channel = null;
    last.closeChannel();
    replies.close();
    waiting.close();
  }
}
