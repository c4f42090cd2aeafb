package io.penstock.core.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.upstream.Endpoint;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The clients of one listener and one TCP upstream on one event loop. Used on that loop only. */
public final class TcpClients {

  private final LoopGroup group;
  private final Loop loop;
  private final TcpServers servers;
  private final Function<Channel, @Nullable SocketAddress> addresses;
  private final Set<TcpConnection> open = new LinkedHashSet<>();
  private final Consumer<CloseReason> closes;

  /**
   * @param addresses returns the address of a channel's client, which a load balancer may have told
   * @param closes counts clients that were closed for a reason
   */
  public TcpClients(
      LoopGroup group,
      Loop loop,
      TcpServers servers,
      Function<Channel, @Nullable SocketAddress> addresses,
      Consumer<CloseReason> closes) {
    this.group = group;
    this.loop = loop;
    this.servers = servers;
    this.addresses = addresses;
    this.closes = closes;
  }

  /** Returns the handler of a new client's channel. */
  public ChannelHandler newHandler() {
    return new TcpConnection(this, servers, loop).handler();
  }

  /** Counts a client that was closed. */
  public void countClose(CloseReason why) {
    closes.accept(why);
  }

  void countIdle() {
    countClose(CloseReason.IDLE);
  }

  @Nullable SocketAddress address(Channel client) {
    return addresses.apply(client);
  }

  ChannelFuture connect(Endpoint address, ServerPipeline pipeline) {
    return connect(group, loop, servers.settings(), address, pipeline);
  }

  /** Connects to a server, from a loop. */
  static ChannelFuture connect(
      LoopGroup group, Loop loop, TcpSettings settings, Endpoint address, ServerPipeline pipeline) {
    int timeout = Math.toIntExact(settings.connect().timeout().toMillis());
    if (address.isUnixSocket()) {
      Bootstrap unix = group.unixClientBootstrap(loop, timeout);
      return (group.transport().hasUnixHalfClosure()
              ? unix.option(ChannelOption.ALLOW_HALF_CLOSURE, true)
              : unix)
          .handler(pipeline)
          .connect(group.unixAddress(address.host()));
    }
    return group
        .clientBootstrap(loop, timeout)
        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .handler(pipeline)
        .connect(InetSocketAddress.createUnresolved(address.host(), address.port()));
  }

  void add(TcpConnection connection) {
    open.add(connection);
  }

  void remove(TcpConnection connection) {
    open.remove(connection);
  }

  /** Returns the number of clients. */
  public int size() {
    return open.size();
  }

  /** Closes all clients at once. */
  public void closeAll() {
    List.copyOf(open).forEach(TcpConnection::close);
  }

  /** Closes the clients whose servers the settings do not have any more. */
  public void closeOfRemovedServers() {
    close(connection -> {
      Peer peer = connection.peer();
      return peer != null && !servers.has(peer);
    });
  }

  private int close(Predicate<TcpConnection> which) {
    List<TcpConnection> chosen = open.stream().filter(which).toList();
    chosen.forEach(TcpConnection::close);
    return chosen.size();
  }

  /**
   * Closes clients at once. Null matches every client.
   *
   * @param from the client's address, as {@code 10.0.0.1:50412}
   * @param to the address that it is connected to
   * @param leastAge in nanoseconds
   * @return how many
   */
  public int kill(@Nullable String from, @Nullable String to, long leastAge) {
    return close(connection ->
        (from == null || from.equals(text(address(connection.client()))))
            && (to == null || to.equals(text(connection.client().localAddress())))
            && connection.age() >= leastAge);
  }

  /** Returns an address as servers write it. */
  static String text(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
      return String.valueOf(address);
    }
    String host = inet.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort();
  }
}
