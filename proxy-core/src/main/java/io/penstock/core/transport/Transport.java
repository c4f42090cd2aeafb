package io.penstock.core.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueDomainSocketChannel;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerDomainSocketChannel;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** Netty transports. {@link #AUTO} selects the first of the others that works here. */
public enum Transport {
  AUTO,

  /**
   * Requires {@code -Dio.netty.iouring.pollAddMultishotEnabled=false}. A multishot poll reports an
   * event once. If a connection is reset directly after its last bytes, that is one event: Netty
   * reads the bytes, finds the socket empty, and waits forever. With one poll per read the reset is
   * detected.
   */
  IO_URING,
  EPOLL,
  KQUEUE,
  NIO;

  /** After this many unanswered keepalive probes the connection is closed. */
  private static final int PROBES = 3;

  /** The transports that {@link #AUTO} tries, in this order. */
  private static final List<Transport> PREFERENCE = List.of(IO_URING, EPOLL, KQUEUE, NIO);

  private static final List<Transport> PREFERENCE_FOR_UNIX_CLIENTS =
      List.of(EPOLL, KQUEUE, IO_URING, NIO);

  /**
   * Returns the transports to try, in this order, until one works.
   *
   * @param unixClients whether clients connect to a Unix socket: {@link #AUTO} prefers a transport
   *     with half-closure then (docs/adr/0038)
   */
  public List<Transport> candidates(boolean unixClients) {
    if (this != AUTO) {
      return List.of(this);
    }
    return unixClients ? PREFERENCE_FOR_UNIX_CLIENTS : PREFERENCE;
  }

  /**
   * Returns whether a client of a Unix socket that ends its side still gets the replies to what it
   * has sent. Netty closes such clients with the other transports.
   */
  public boolean hasUnixHalfClosure() {
    return this == EPOLL || this == KQUEUE;
  }

  /** Why this transport does not work on this machine; null if it works. */
  public @Nullable Throwable unavailability() {
    return switch (this) {
      case IO_URING -> IoUring.unavailabilityCause();
      case EPOLL -> Epoll.unavailabilityCause();
      case KQUEUE -> KQueue.unavailabilityCause();
      case AUTO, NIO -> null;
    };
  }

  IoHandlerFactory ioHandlers(Function<ThreadAwareExecutor, ActiveClients> activeClientsOf) {
    return GatheringIoHandler.around(
        switch (this) {
          case IO_URING -> UntimedIoHandler.around(IoUringIoHandler.newFactory());
          case EPOLL -> UntimedIoHandler.around(EpollIoHandler.newFactory());
          case KQUEUE -> KQueueIoHandler.newFactory();
          case NIO -> NioIoHandler.newFactory();
          case AUTO -> throw new IllegalStateException("AUTO must be resolved to a transport");
        },
        activeClientsOf);
  }

  /**
   * Socket options beside {@code SO_KEEPALIVE}: when the first probe is sent; two more follow at
   * intervals of a third of that time, as with Redis. Empty for macOS, which uses its default
   * times.
   */
  Map<ChannelOption<Integer>, Integer> keepAlive(Duration after) {
    if (after.isZero()) {
      return Map.of();
    }
    int idle = Math.toIntExact(after.toSeconds());
    int interval = Math.max(1, idle / PROBES);
    return switch (this) {
      case IO_URING ->
          Map.of(
              IoUringChannelOption.TCP_KEEPIDLE, idle,
              IoUringChannelOption.TCP_KEEPINTVL, interval,
              IoUringChannelOption.TCP_KEEPCNT, PROBES);
      case EPOLL ->
          Map.of(
              EpollChannelOption.TCP_KEEPIDLE, idle,
              EpollChannelOption.TCP_KEEPINTVL, interval,
              EpollChannelOption.TCP_KEEPCNT, PROBES);
      case NIO ->
          Map.of(
              NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), idle,
              NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), interval,
              NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), PROBES);
      case KQUEUE -> Map.of();
      case AUTO -> throw new IllegalStateException("AUTO must be resolved to a transport");
    };
  }

  Class<? extends Channel> socketChannel() {
    return switch (this) {
      case IO_URING -> IoUringSocketChannel.class;
      case EPOLL -> EpollSocketChannel.class;
      case KQUEUE -> KQueueSocketChannel.class;
      case NIO -> NioSocketChannel.class;
      case AUTO -> throw new IllegalStateException("AUTO must be resolved to a transport");
    };
  }

  Class<? extends ServerSocketChannel> serverSocketChannel() {
    return switch (this) {
      case IO_URING -> IoUringServerSocketChannel.class;
      case EPOLL -> EpollServerSocketChannel.class;
      case KQUEUE -> KQueueServerSocketChannel.class;
      case NIO -> NioServerSocketChannel.class;
      case AUTO -> throw new IllegalStateException("AUTO must be resolved to a transport");
    };
  }

  Class<? extends Channel> unixSocketChannel() {
    return switch (this) {
      case IO_URING -> IoUringDomainSocketChannel.class;
      case EPOLL -> EpollDomainSocketChannel.class;
      case KQUEUE -> KQueueDomainSocketChannel.class;
      case NIO -> NioDomainSocketChannel.class;
      case AUTO -> throw new IllegalStateException("AUTO must be resolved to a transport");
    };
  }

  Class<? extends ServerChannel> unixServerSocketChannel() {
    return switch (this) {
      case IO_URING -> IoUringServerDomainSocketChannel.class;
      case EPOLL -> EpollServerDomainSocketChannel.class;
      case KQUEUE -> KQueueServerDomainSocketChannel.class;
      case NIO -> NioServerDomainSocketChannel.class;
      case AUTO -> throw new IllegalStateException("AUTO must be resolved to a transport");
    };
  }

  /**
   * Returns the address of a Unix socket.
   *
   * @throws IllegalArgumentException for an abstract name that this transport does not have
   */
  SocketAddress unixAddress(String name) {
    if (UnixSockets.isAbstract(name) && !hasAbstractNames()) {
      throw new IllegalArgumentException(
          "transport " + configName() + " has no abstract names of Unix sockets");
    }
    return this == NIO
        ? UnixDomainSocketAddress.of(name)
        : new DomainSocketAddress(UnixSockets.systemName(name));
  }

  /** Returns whether Unix sockets can have abstract names on this machine. */
  public boolean hasAbstractNames() {
    return switch (this) {
      case IO_URING, EPOLL -> unavailability() == null;
      case AUTO -> IO_URING.hasAbstractNames() || EPOLL.hasAbstractNames();
      case KQUEUE, NIO -> false;
    };
  }

  /**
   * The name in the configuration: {@code io_uring}, {@code epoll}, {@code kqueue}, {@code nio}.
   */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
