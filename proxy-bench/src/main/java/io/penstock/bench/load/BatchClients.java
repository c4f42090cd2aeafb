package io.penstock.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.LoadFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** All connections of a {@link BatchPlan}. Used by one thread, which blocks; not on their loops. */
public final class BatchClients implements AutoCloseable {

  /** Fewer than any listener's backlog. */
  private static final int AT_ONCE = 100;

  private static final int CONNECT_MILLIS = 10_000;
  private static final long PATIENCE_SECONDS = 60;
  private static final long PAUSE_NANOS = 10_000_000;

  private final KeyRequests requests;
  private final BatchPlan plan;
  private final MultiThreadIoEventLoopGroup group;
  private final List<EventLoop> loops = new ArrayList<>();
  private final List<BatchThread> threads = new ArrayList<>();
  private final List<Channel> channels = new ArrayList<>();

  private BatchClients(BatchPlan plan, KeyRequests requests) {
    this.plan = plan;
    this.requests = requests;
    IoHandlerFactory io =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.group = new MultiThreadIoEventLoopGroup(plan.threads(), io);
    for (int i = 0; i < plan.threads(); i++) {
      loops.add(group.next());
      threads.add(new BatchThread(requests, plan.pipeline()));
    }
  }

  /** Connections to a proxy or server that has nothing to do yet. */
  public static BatchClients idle(Target.Address address, int connections) {
    return connect(address, BatchPlan.gets(connections, 1, 1), new KeyRequests(1, 1, 0));
  }

  static BatchClients connect(Target.Address address, BatchPlan plan, KeyRequests requests) {
    BatchClients clients = new BatchClients(plan, requests);
    try {
      clients.connectAll(address);
      return clients;
    } catch (RuntimeException e) {
      clients.close();
      throw e;
    }
  }

  /** Sets every key once and returns when this is done. */
  void fill() {
    threads.getFirst().fill();
    start();
    if (!channels
        .getFirst()
        .closeFuture()
        .awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new LoadFailure("setting " + requests.keys() + " keys takes too long");
    }
    check();
  }

  /** Every connection sends its first batch. */
  void start() {
    for (int i = 0; i < channels.size(); i++) {
      BatchThread thread = threads.get(i % threads.size());
      Channel channel = channels.get(i);
      channel
          .eventLoop()
          .execute(() ->
              thread.next(
                  channel.pipeline().get(BatchClient.class), channel.pipeline().lastContext()));
    }
  }

  /** Every connection sends one request. Returns when all are answered. */
  public void sendOnce() {
    onLoops(thread -> {
      thread.once();
      return Tally.empty();
    });
    start();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    long answered = 0;
    while (answered < channels.size() && System.nanoTime() < deadline) {
      answered += takeTally().requests();
      check();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (answered < channels.size()) {
      throw new LoadFailure("only " + answered + " of " + channels.size() + " were answered");
    }
  }

  /** Returns the counts of all connections since the last call. */
  Tally takeTally() {
    return onLoops(BatchThread::takeTally);
  }

  /**
   * Returns normally if nothing has failed so far.
   *
   * @throws LoadFailure with the first failure
   */
  public void check() {
    for (BatchThread thread : threads) {
      @Nullable String fault = thread.fault();
      if (fault != null) {
        throw new LoadFailure(fault);
      }
    }
  }

  @Override
  public void close() {
    onLoops(thread -> {
      thread.end();
      return Tally.empty();
    });
    channels.forEach(channel -> channel.close().awaitUninterruptibly());
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private void connectAll(Target.Address address) {
    List<ChannelFuture> pending = new ArrayList<>();
    for (int i = 0; i < plan.connections(); i++) {
      int thread = i % threads.size();
      pending.add(bootstrap(thread).connect(address.host(), address.port()));
      if (pending.size() == AT_ONCE || i + 1 == plan.connections()) {
        for (ChannelFuture future : pending) {
          channels.add(future.awaitUninterruptibly().channel());
          if (!future.isSuccess()) {
            throw new LoadFailure("no connection to " + address.name(), future.cause());
          }
        }
        pending.clear();
      }
    }
  }

  private Bootstrap bootstrap(int thread) {
    return new Bootstrap()
        .group(loops.get(thread))
        .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .handler(new BatchClient(threads.get(thread)));
  }

  /** Adds up what each thread returns on its own loop. */
  private Tally onLoops(Work work) {
    Tally sum = Tally.empty();
    for (int i = 0; i < loops.size(); i++) {
      BatchThread thread = threads.get(i);
      Callable<Tally> call = () -> work.on(thread);
      sum = sum.plus(loops.get(i).submit(call).awaitUninterruptibly().getNow());
    }
    return sum;
  }

  private interface Work {
    Tally on(BatchThread thread);
  }
}
