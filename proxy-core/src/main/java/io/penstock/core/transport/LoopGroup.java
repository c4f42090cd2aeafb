package io.penstock.core.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** All event loops of a proxy, on one transport, with the socket options of both sides. */
public final class LoopGroup {

  private static final Logger log = LoggerFactory.getLogger(LoopGroup.class);

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(512 * 1024, 1024 * 1024);
  private static final int BACKLOG = 4_096;

  /**
   * Larger than Netty's 64 KiB, so that large values and the replies for many clients need fewer
   * reads.
   */
  private static final int MAX_READ = 256 * 1024;

  /** Netty's default, as is the next one. */
  private static final int MIN_READ = 64;

  private static final int INITIAL_READ = 2_048;

  /**
   * Needed by blocked calls: they would not notice that a node's host disappeared or was restarted.
   */
  private static final Duration NODE_KEEP_ALIVE = Duration.ofMinutes(1);

  private static final long QUIET_NANOS = 1; // 0 may end a loop with its current turn
  private static final long ENDING_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Transport transport;
  private final MultiThreadIoEventLoopGroup group;
  private final List<Loop> loops = new ArrayList<>();

  /** With the kernel's default time slices. */
  public LoopGroup(Transport wanted, int count) {
    this(wanted, count, Duration.ZERO);
  }

  /**
   * Creates the loops. Their threads start with their first task.
   *
   * @param timeSlice requested from the kernel for the threads; zero for the default
   */
  public LoopGroup(Transport wanted, int count, Duration timeSlice) {
    this(wanted.candidates(false), count, timeSlice);
  }

  /**
   * Creates the loops with the first transport that works.
   *
   * @param candidates as {@link Transport#candidates} returns them
   * @param timeSlice requested from the kernel for the threads; zero for the default
   */
  public LoopGroup(List<Transport> candidates, int count, Duration timeSlice) {
    this(candidates, count, timeSlice, Transport::ioHandlers, System::nanoTime);
  }

  /**
   * With a clock for deadlines and timeouts. Scheduled tasks of the loops do not use it.
   *
   * @param clock monotonic nanoseconds; read on the loops
   */
  public LoopGroup(Transport wanted, int count, LongSupplier clock) {
    this(wanted.candidates(false), count, Duration.ZERO, Transport::ioHandlers, clock);
  }

  LoopGroup(
      List<Transport> candidates,
      int count,
      Duration timeSlice,
      Handlers handlers,
      LongSupplier clock) {
    Created created = create(candidates, count, timeSlice, handlers);
    this.transport = created.transport();
    this.group = created.group();
    int index = 0;
    for (EventExecutor executor : group) {
      var loop = (IoEventLoop) executor;
      loops.add(new Loop(index++, loop, created.activeClientsOf().apply(loop), clock));
    }
  }

  /** Creates the I/O handlers of a transport. */
  @FunctionalInterface
  interface Handlers {
    IoHandlerFactory of(
        Transport transport, Function<ThreadAwareExecutor, ActiveClients> activeClientsOf);
  }

  private record Created(
      Transport transport,
      MultiThreadIoEventLoopGroup group,
      Function<ThreadAwareExecutor, ActiveClients> activeClientsOf) {

    static Created of(Transport transport, int count, Duration timeSlice, Handlers handlers) {
      var activeClients = new IdentityHashMap<ThreadAwareExecutor, ActiveClients>();
      Function<ThreadAwareExecutor, ActiveClients> activeClientsOf =
          loop -> activeClients.computeIfAbsent(loop, _ -> new ActiveClients(System.nanoTime()));
      var group =
          new MultiThreadIoEventLoopGroup(
              count, new LoopThreads(timeSlice), handlers.of(transport, activeClientsOf));
      return new Created(transport, group, activeClientsOf);
    }
  }

  /**
   * Creates the loops with the first transport that works. Netty's availability check creates one
   * io_uring ring of one entry, which does not mean that all needed rings can be created. Netty
   * closes those already created if the next one fails.
   */
  private static Created create(
      List<Transport> candidates, int count, Duration timeSlice, Handlers handlers) {
    UnavailableTransportException failure = null;
    for (Transport candidate : candidates) {
      Throwable why = candidate.unavailability();
      Level level = Level.INFO; // expected on such a machine
      if (why == null) {
        try {
          Created created = Created.of(candidate, count, timeSlice, handlers);
          if (failure != null) {
            log.info("Using transport {}", candidate.configName());
          }
          return created;
        } catch (RuntimeException e) {
          why = e;
          level = Level.WARN;
        }
      }
      failure = new UnavailableTransportException(candidate, why);
      if (candidates.size() > 1) {
        log.atLevel(level).log(failure.getMessage());
      }
    }
    throw Objects.requireNonNull(failure); // there are candidates
  }

  public Transport transport() {
    return transport;
  }

  public List<Loop> loops() {
    return loops;
  }

  /** Returns a bootstrap for a listening socket. Its clients are distributed over the loops. */
  public ServerBootstrap serverBootstrap() {
    return bootstrap()
        .channel(transport.serverSocketChannel())
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
  }

  /**
   * Has the system send keepalive probes to a client over TCP.
   *
   * @param after idle time of the client; zero for no probes
   */
  public void keepAlive(Channel client, Duration after) {
    ChannelConfig config = client.config();
    transport.keepAlive(after).forEach(config::setOption);
    config.setOption(ChannelOption.SO_KEEPALIVE, !after.isZero());
  }

  /** Returns a bootstrap for a listening Unix socket, whose address is a {@link #unixAddress}. */
  public ServerBootstrap unixServerBootstrap() {
    ServerBootstrap server = bootstrap().channel(transport.unixServerSocketChannel());
    return transport.hasUnixHalfClosure()
        ? server.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
        : server;
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(group)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
  }

  /**
   * Returns the address of a Unix socket for this transport.
   *
   * @param name as {@link UnixSockets} has it
   * @throws IllegalArgumentException for an abstract name that the transport does not have
   */
  public SocketAddress unixAddress(String name) {
    return transport.unixAddress(name);
  }

  /** Returns a bootstrap for connections from {@code loop} to a node. */
  public Bootstrap clientBootstrap(Loop loop, int connectTimeoutMillis) {
    Bootstrap client = bootstrap(loop, connectTimeoutMillis).channel(transport.socketChannel());
    transport.keepAlive(NODE_KEEP_ALIVE).forEach(client::option);
    return client
        .resolver(OffLoopResolver.INSTANCE)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true);
  }

  /** Returns a bootstrap for connections from {@code loop} to the Unix socket of a node. */
  public Bootstrap unixClientBootstrap(Loop loop, int connectTimeoutMillis) {
    return bootstrap(loop, connectTimeoutMillis).channel(transport.unixSocketChannel());
  }

  private static Bootstrap bootstrap(Loop loop, int connectTimeoutMillis) {
    return new Bootstrap()
        .group(loop.executor())
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new AdaptiveRecvByteBufAllocator(MIN_READ, INITIAL_READ, MAX_READ))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMillis)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
  }

  /**
   * Ends the loops; completes when their threads have ended. Channels that are still open are
   * closed: Netty does so in the first turn of a loop that begins after the request to end. The
   * quiet period and the shutdown hook make sure that there is such a turn. Without it, handlers
   * are not told, and with io_uring buffers leak.
   */
  public CompletionStage<Void> shutdown() {
    var ended = new CompletableFuture<Void>();
    for (Loop loop : loops) {
      ((SingleThreadEventLoop) loop.executor()).addShutdownHook(loop.flushQueue()::close);
    }
    group
        .shutdownGracefully(QUIET_NANOS, ENDING_NANOS, TimeUnit.NANOSECONDS)
        .addListener(_ -> ended.complete(null));
    return ended;
  }
}
