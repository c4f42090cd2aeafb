package io.penstock.core;

import io.netty.util.NetUtil;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Listener;
import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.upstream.Endpoint;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An upstream that is its own server: one of its addresses is a listener of the same proxy, and
 * requests that come there reach the upstream again. Only addresses are compared, and no name but
 * {@code localhost} is looked up: what names, sentinels and other Penstocks lead to is noticed when
 * connections are made ({@link io.penstock.core.upstream.ProxyChain}).
 *
 * @param upstream the upstream
 * @param address the configured address of it
 * @param listener at this address
 */
public record OwnServer(Upstream upstream, Endpoint address, Listener listener) {

  private static final String LOCALHOST = "localhost";

  /** Returns the first such upstream that a listener names, or null. */
  public static @Nullable OwnServer find(ProxySettings settings) {
    for (Listener each : settings.listeners()) {
      Upstream upstream = settings.upstream(each.upstream());
      OwnServer found = find(settings, upstream, upstream, new HashSet<>());
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Returns the address of {@code from} that leads to {@code wanted}, or null. */
  private static @Nullable OwnServer find(
      ProxySettings settings, Upstream from, Upstream wanted, Set<String> visited) {
    if (!visited.add(from.name())) {
      return null;
    }
    for (Endpoint address : from.addresses()) {
      for (Listener listener : settings.listeners()) {
        if (isAt(listener.listen().address(), address)) {
          Upstream next = settings.upstream(listener.upstream());
          if (next.name().equals(wanted.name()) || find(settings, next, wanted, visited) != null) {
            return new OwnServer(from, address, listener);
          }
        }
      }
    }
    return null;
  }

  /** Returns whether connections to an address arrive at a listener. */
  static boolean isAt(ListenAddress listener, Endpoint address) {
    return switch (listener) {
      case ListenAddress.Unix unix -> address.isUnixSocket() && unix.name().equals(address.host());
      case ListenAddress.Tcp tcp ->
          !address.isUnixSocket()
              && tcp.port() == address.port()
              && tcp.hosts().stream().anyMatch(host -> isSame(host, address.host()));
    };
  }

  private static boolean isSame(String bound, String host) {
    if (bound.equalsIgnoreCase(host)) {
      return true;
    }
    InetAddress listener = address(bound);
    InetAddress server = address(host);
    if (listener == null || server == null) {
      return false;
    }
    if (listener.isAnyLocalAddress()) {
      boolean reachable = listener instanceof Inet6Address || server instanceof Inet4Address;
      return reachable && isOwn(server);
    }
    return listener.equals(server)
        || (server.isAnyLocalAddress() && listener.isLoopbackAddress())
        || (isLocalhost(bound, host) && listener.isLoopbackAddress() && server.isLoopbackAddress());
  }

  /** Whichever address the name stands for, it is the loopback's. */
  private static boolean isLocalhost(String bound, String host) {
    return bound.equalsIgnoreCase(LOCALHOST) || host.equalsIgnoreCase(LOCALHOST);
  }

  /** Returns the address of a literal, or of the name {@code localhost}; null for other names. */
  private static @Nullable InetAddress address(String host) {
    return host.equalsIgnoreCase(LOCALHOST)
        ? InetAddress.getLoopbackAddress()
        : NetUtil.createInetAddressFromIpAddressString(host);
  }

  private static boolean isOwn(InetAddress address) {
    try {
      return address.isLoopbackAddress()
          || address.isAnyLocalAddress()
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException _) {
      return false;
    }
  }
}
