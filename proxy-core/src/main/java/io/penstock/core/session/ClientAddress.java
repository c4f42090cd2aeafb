package io.penstock.core.session;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.penstock.core.transport.UnixSockets;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a client's connection comes from and where it arrived. The listener sets what the socket
 * itself does not know, before the session is made. Used on the client's loop.
 */
public final class ClientAddress {

  private static final AttributeKey<SocketAddress> ADDRESS =
      AttributeKey.valueOf(ClientAddress.class, "address");

  private static final AttributeKey<String> UNIX_SOCKET =
      AttributeKey.valueOf(ClientAddress.class, "unixSocket");

  private ClientAddress() {}

  /** Sets the address of a channel's client where the connection is a load balancer's. */
  public static void set(Channel channel, SocketAddress client) {
    channel.attr(ADDRESS).set(client);
  }

  /** Returns the address of a channel's client: the one that was set, or the connection's. */
  public static @Nullable SocketAddress of(Channel channel) {
    SocketAddress told = channel.hasAttr(ADDRESS) ? channel.attr(ADDRESS).get() : null;
    return told == null ? channel.remoteAddress() : told;
  }

  /**
   * Sets the name of the Unix socket that a channel's client is connected to. The channel itself
   * may have another: the socket's file is renamed after it is bound.
   */
  public static void setUnixSocket(Channel channel, String name) {
    channel.attr(UNIX_SOCKET).set(name);
  }

  /** Returns the name of the Unix socket that the client is connected to; null with TCP. */
  static @Nullable String unixSocket(Channel channel) {
    return channel.hasAttr(UNIX_SOCKET) ? channel.attr(UNIX_SOCKET).get() : null;
  }

  /** Returns the client's address in the format of servers, for example {@code 127.0.0.1:50412}. */
  static String text(Channel channel) {
    String socket = unixSocket(channel);
    return socket == null ? text(of(channel)) : text(socket);
  }

  /** Returns the address that the client is connected to, in the format of servers. */
  static String listening(Channel channel) {
    String socket = unixSocket(channel);
    return socket == null ? text(channel.localAddress()) : text(socket);
  }

  /** Returns the client's address for log lines; of a Unix socket with the client's process. */
  static String peer(Channel channel) {
    String socket = unixSocket(channel);
    return socket == null ? text(of(channel)) : UnixSockets.describe(socket, channel);
  }

  private static String text(String unixSocket) {
    return unixSocket + ":0";
  }

  /** Returns an address in the format of servers; null is not known. */
  private static String text(@Nullable SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
      return "?:0";
    }
    String host = inet.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort();
  }
}
