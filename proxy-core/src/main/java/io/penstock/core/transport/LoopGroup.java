package io.penstock.core.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
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

  /** Nodes send what many clients asked for: with Netty's 64 KiB large values take more reads. */
  private static final int LARGEST_READ = 256 * 1024;

  /** Netty's own. */
  private static final int SMALLEST_READ = 64;

  private static final int FIRST_READ = 2_048;

  /** Who blocks hears nothing for long, of a host either that has gone and come back. */
  private static final Duration NODE_KEEP_ALIVE = Duration.ofMinutes(1);

  private static final long CLOSING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Transport transport;
  private final MultiThreadIoEventLoopGroup group;
  private final List<Loop> loops = new ArrayList<>();

  /** With the kernel's usual time slices. */
  public LoopGroup(Transport wanted, int count) {
    this(wanted, count, Duration.ZERO);
  }

  /**
   * Starts nothing yet: threads begin with their first task.
   *
   * @param timeSlice that their threads ask the kernel for; zero: none
   */
  public LoopGroup(Transport wanted, int count, Duration timeSlice) {
    this(wanted, count, timeSlice, Transport::ioHandlers, System::nanoTime);
  }

  /**
   * With a clock that deadlines and timeouts go by. Tasks that are scheduled on a loop do not.
   *
   * @param clock nanoseconds that never go back; read on the loops
   */
  public LoopGroup(Transport wanted, int count, LongSupplier clock) {
    this(wanted, count, Duration.ZERO, Transport::ioHandlers, clock);
  }

  LoopGroup(
      Transport wanted, int count, Duration timeSlice, Handlers handlers, LongSupplier clock) {
    Made made = make(wanted, count, timeSlice, handlers);
    this.transport = made.transport();
    this.group = made.group();
    int index = 0;
    for (EventExecutor executor : group) {
      var loop = (IoEventLoop) executor;
      loops.add(new Loop(index++, loop, made.crowdOf().apply(loop), clock));
    }
  }

  /** How loops look at their sockets with a transport. */
  @FunctionalInterface
  interface Handlers {
    IoHandlerFactory of(Transport transport, Function<ThreadAwareExecutor, ActiveClients> crowdOf);
  }

  private record Made(
      Transport transport,
      MultiThreadIoEventLoopGroup group,
      Function<ThreadAwareExecutor, ActiveClients> crowdOf) {

    static Made of(Transport transport, int count, Duration timeSlice, Handlers handlers) {
      var crowds = new IdentityHashMap<ThreadAwareExecutor, ActiveClients>();
      Function<ThreadAwareExecutor, ActiveClients> crowdOf =
          loop -> crowds.computeIfAbsent(loop, _ -> new ActiveClients(System.nanoTime()));
      var group =
          new MultiThreadIoEventLoopGroup(
              count, new LoopThreads(timeSlice), handlers.of(transport, crowdOf));
      return new Made(transport, group, crowdOf);
    }
  }

  /**
   * Makes the loops of the first transport that works. That one ring of io_uring could be made, of
   * one entry, does not mean that all can that are needed: only making them tells. Netty closes
   * those that it has made when it cannot make the next.
   */
  private static Made make(Transport wanted, int count, Duration timeSlice, Handlers handlers) {
    UnavailableTransportException refused = null;
    for (Transport candidate : wanted.candidates()) {
      Throwable why = candidate.unavailability();
      Level level = Level.INFO; // as on every machine of the kind
      if (why == null) {
        try {
          Made made = Made.of(candidate, count, timeSlice, handlers);
          if (refused != null) {
            log.info("transport {} is taken", candidate.configName());
          }
          return made;
        } catch (RuntimeException e) {
          why = e;
          level = Level.WARN;
        }
      }
      refused = new UnavailableTransportException(candidate, why);
      if (wanted == Transport.AUTO) {
        log.atLevel(level).log(refused.getMessage());
      }
    }
    throw Objects.requireNonNull(refused); // there are candidates
  }

  public Transport transport() {
    return transport;
  }

  public List<Loop> loops() {
    return loops;
  }

  /**
   * For the listening socket; its clients are spread over the loops.
   *
   * @param keepAlive a client that is silent for so long is probed; zero is never
   */
  public ServerBootstrap serverBootstrap(Duration keepAlive) {
    ServerBootstrap server = new ServerBootstrap();
    transport.keepAlive(keepAlive).forEach(server::childOption);
    return server
        .group(group)
        .channel(transport.serverSocketChannel())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .childOption(ChannelOption.SO_KEEPALIVE, !keepAlive.isZero())
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
  }

  /** For connections from {@code loop} to a node. */
  public Bootstrap clientBootstrap(Loop loop, int connectTimeoutMillis) {
    Bootstrap client = new Bootstrap();
    transport.keepAlive(NODE_KEEP_ALIVE).forEach(client::option);
    return client
        .group(loop.executor())
        .channel(transport.socketChannel())
        .resolver(OffLoopResolver.INSTANCE)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new AdaptiveRecvByteBufAllocator(SMALLEST_READ, FIRST_READ, LARGEST_READ))
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMillis)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
  }

  /**
   * Ends the loops; completes when their threads are gone. Channels that are being closed have some
   * time to be: with io_uring that takes until the kernel has let go of their buffers, and a loop
   * that ends before leaves buffers and sockets behind.
   */
  public CompletionStage<Void> shutdown() {
    var ended = new CompletableFuture<Void>();
    var idle = loops.stream().map(this::whenWithoutChannels).toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(idle)
        .whenComplete((_, _) ->
            group
                .shutdownGracefully(0, 5, TimeUnit.SECONDS)
                .addListener(_ -> ended.complete(null)));
    return ended;
  }

  private CompletableFuture<Void> whenWithoutChannels(Loop loop) {
    var done = new CompletableFuture<Void>();
    long until = System.nanoTime() + CLOSING_NANOS;
    loop.executor().execute(() -> lookForChannels(loop, until, done));
    return done;
  }

  private void lookForChannels(Loop loop, long until, CompletableFuture<Void> done) {
    boolean open =
        loop.executor() instanceof SingleThreadEventLoop channels
            && channels.registeredChannels() > 0;
    if (open && System.nanoTime() - until < 0) {
      loop.executor().schedule(() -> lookForChannels(loop, until, done), 1, TimeUnit.MILLISECONDS);
    } else {
      loop.flushQueue().close();
      done.complete(null);
    }
  }
}
