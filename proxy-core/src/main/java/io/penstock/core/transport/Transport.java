package io.penstock.core.transport;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ways to the kernel. {@link #AUTO} stands for the first of the others that works here. */
public enum Transport {
  AUTO,
  IO_URING,
  EPOLL,
  KQUEUE,
  NIO;

  private static final Logger log = LoggerFactory.getLogger(Transport.class);

  /** What {@link #AUTO} tries, in this order. */
  private static final List<Transport> PREFERENCE = List.of(IO_URING, EPOLL, KQUEUE, NIO);

  /** This transport, or for {@link #AUTO} the best that works here. */
  public Transport resolve() {
    if (this != AUTO) {
      return this;
    }
    for (Transport candidate : PREFERENCE) {
      Throwable why = candidate.unavailability();
      if (why == null) {
        return candidate;
      }
      log.info("transport {} does not work here: {}", candidate.configName(), rootOf(why));
    }
    return NIO;
  }

  private static String rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }

  /** Why this transport does not work on this machine; null when it does. */
  public @Nullable Throwable unavailability() {
    return switch (this) {
      case IO_URING -> IoUring.unavailabilityCause();
      case EPOLL -> Epoll.unavailabilityCause();
      case KQUEUE -> KQueue.unavailabilityCause();
      case AUTO, NIO -> null;
    };
  }

  IoHandlerFactory ioHandlers() {
    return GatheringIoHandler.around(
        switch (this) {
          case IO_URING -> IoUringIoHandler.newFactory();
          case EPOLL -> EpollIoHandler.newFactory();
          case KQUEUE -> KQueueIoHandler.newFactory();
          case NIO -> NioIoHandler.newFactory();
          case AUTO -> throw new IllegalStateException("AUTO is resolved first");
        });
  }

  Class<? extends Channel> socketChannel() {
    return switch (this) {
      case IO_URING -> IoUringSocketChannel.class;
      case EPOLL -> EpollSocketChannel.class;
      case KQUEUE -> KQueueSocketChannel.class;
      case NIO -> NioSocketChannel.class;
      case AUTO -> throw new IllegalStateException("AUTO is resolved first");
    };
  }

  Class<? extends ServerSocketChannel> serverSocketChannel() {
    return switch (this) {
      case IO_URING -> IoUringServerSocketChannel.class;
      case EPOLL -> EpollServerSocketChannel.class;
      case KQUEUE -> KQueueServerSocketChannel.class;
      case NIO -> NioServerSocketChannel.class;
      case AUTO -> throw new IllegalStateException("AUTO is resolved first");
    };
  }

  /**
   * The name as configuration spells it: {@code io_uring}, {@code epoll}, {@code kqueue}, {@code
   * nio}.
   */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
