package io.penstock.core.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.util.NetUtil;
import io.penstock.core.control.Outage;
import io.penstock.core.tcp.TcpServers.Choice;
import io.penstock.core.transport.Loop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client and its server. It is connecting until a server is connected, then open, and over when
 * either connection is closed or both have ended their output. Confined to its loop.
 */
final class TcpConnection {

  private static final Logger log = LoggerFactory.getLogger(TcpConnection.class);

  private final TcpClients clients;
  private final TcpServers servers;
  private final TcpSettings settings;
  private final Loop loop;
  private final Side client = new Side(this);
  private @Nullable Channel channel; // the client's
  private @Nullable Side server;
  private @Nullable Peer peer; // that has been chosen
  private @Nullable Attempt attempt;
  private @Nullable Future<?> idle;
  private final long began;
  private long lastActive;
  private int triesLeft;
  private boolean over;

  TcpConnection(TcpClients clients, TcpServers servers, Loop loop) {
    this.clients = clients;
    this.servers = servers;
    this.settings = servers.settings();
    this.loop = loop;
    this.began = loop.tick();
    this.lastActive = began;
  }

  /** Returns the handler of the client's channel. */
  ChannelHandler handler() {
    return client;
  }

  TcpSettings settings() {
    return settings;
  }

  boolean isOver() {
    return over;
  }

  /** Returns the server that has been chosen, or null. */
  @Nullable Peer peer() {
    return peer;
  }

  /** Returns the client's channel. */
  Channel client() {
    return Objects.requireNonNull(channel);
  }

  /** Returns the time since it has begun, in nanoseconds. */
  long age() {
    return loop.tick() - began;
  }

  /** A side has its channel. The client is not read before it has a server. */
  void onAdded(Side side, Channel added) {
    if (side != client) {
      return;
    }
    channel = added;
    added.config().setAutoRead(false);
    clients.add(this);
    SocketAddress from = clients.address(added);
    Attempt begun = servers.begin(key(from));
    triesLeft = begun.layout.tries();
    attempt = begun;
    watchIdle(added.eventLoop());
    added.eventLoop().execute(this::connect); // the pipeline is being built
  }

  /** Returns a client's address as nginx' {@code $remote_addr} has it. */
  static byte[] key(@Nullable SocketAddress client) {
    String text =
        client instanceof InetSocketAddress inet && inet.getAddress() != null
            ? NetUtil.toAddressString(inet.getAddress())
            : "unix:";
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void connect() {
    if (over || attempt == null) {
      return;
    }
    Choice choice = servers.next(attempt);
    if (choice == null) {
      turnAway(null);
      return;
    }
    attempt = choice.attempt();
    Peer chosen = choice.peer();
    peer = chosen;
    var outcome = new Connecting(chosen);
    ChannelFuture connecting =
        clients.connect(
            chosen.address(), new ServerPipeline(chosen.address(), settings, header(), outcome));
    connecting.addListener(done -> {
      if (!done.isSuccess()) {
        outcome.failed(Outage.reason(done.cause()));
      }
    });
  }

  private @Nullable ByteBuf header() {
    HAProxyProtocolVersion version = settings.transport().proxyProtocol();
    return version == null
        ? null
        : ClientHeader.of(version, clients.address(client()), client().localAddress());
  }

  /** A server that is being connected to. */
  private final class Connecting implements ServerPipeline.Outcome {

    private final Peer chosen;
    private boolean ended;

    Connecting(Peer chosen) {
      this.chosen = chosen;
    }

    @Override
    public ChannelHandler connected(Channel made) {
      ended = true;
      Side side = new Side(TcpConnection.this);
      if (over) {
        made.eventLoop().execute(made::close);
        return side;
      }
      servers.connected(chosen);
      server = side;
      onActivity();
      made.eventLoop().execute(() -> open(side, chosen)); // the handler is there then
      return side;
    }

    @Override
    public void failed(String reason) {
      if (!ended) {
        ended = true;
        onConnectFailed(chosen, reason);
      }
    }
  }

  private void open(Side side, Peer chosen) {
    if (!over) {
      client.connect(side, chosen.sent());
      side.connect(client, chosen.received());
    }
  }

  private void onConnectFailed(Peer chosen, String reason) {
    if (over) {
      return; // it was given back
    }
    peer = null;
    servers.failed(chosen, reason);
    triesLeft--;
    long tried = loop.tick() - began;
    long limit = settings.connect().triesTimeout().toNanos();
    boolean single = settings.servers().size() == 1;
    if (!settings.connect().next() || single || triesLeft <= 0 || (limit > 0 && tried >= limit)) {
      turnAway(reason);
    } else {
      connect();
    }
  }

  private void turnAway(@Nullable String reason) {
    servers.turnAway(TcpClients.text(clients.address(client())), reason);
    close();
  }

  private void watchIdle(EventLoop executor) {
    long timeout = settings.idleTimeout().toNanos();
    if (timeout > 0) {
      idle = executor.schedule(this::checkIdle, timeout, TimeUnit.NANOSECONDS);
    }
  }

  private void checkIdle() {
    long rest = settings.idleTimeout().toNanos() - (loop.tick() - lastActive);
    if (over) {
      close(); // what was left could not be written
    } else if (rest > 0) {
      idle = client().eventLoop().schedule(this::checkIdle, rest, TimeUnit.NANOSECONDS);
    } else {
      clients.countIdle();
      log.debug("Client {} is closed: no byte for idle-timeout", client().remoteAddress());
      close();
    }
  }

  /** Bytes have passed. */
  void onActivity() {
    lastActive = loop.tick();
  }

  /** A direction has ended: with both, the connections have. */
  void onOutputEnded() {
    if (server != null && client.hasEnded() && server.hasEnded()) {
      close();
    }
  }

  /** A channel is closed: the other one is, when it has got everything. */
  void onClosed(Side side) {
    Side rest = side == client ? server : client;
    if (end() && rest != null) {
      rest.closeWhenWritten();
    }
    if (side == client) {
      stopWatching();
      clients.remove(this);
    }
  }

  void onFailed(Side side, Throwable cause) {
    log.debug("A connection of client {} failed: {}", client().remoteAddress(), cause.toString());
    side.close();
  }

  /** Closes both connections at once. */
  void close() {
    end();
    client.close();
    if (server != null) {
      server.close();
    }
  }

  /** Gives the server back. Returns false if that was done before. */
  private boolean end() {
    if (over) {
      return false;
    }
    over = true;
    if (peer != null && server != null) {
      servers.closed(peer);
    } else if (peer != null) {
      servers.abandoned(peer);
    }
    return true;
  }

  private void stopWatching() {
    if (idle != null) {
      idle.cancel(false);
    }
  }
}
