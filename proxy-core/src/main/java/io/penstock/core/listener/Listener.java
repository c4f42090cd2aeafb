package io.penstock.core.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.LoopGroup;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A listening socket. */
public final class Listener {

  private final LoopGroup group;
  private final ClientPipeline pipeline;
  private final Admission admission;
  private final AcceptSettings arrivals;
  private volatile @Nullable Channel channel;

  /**
   * @param sessionLoops returns the state that the clients of a Netty event loop share
   */
  public Listener(
      LoopGroup group,
      Function<EventLoop, SessionLoop> sessionLoops,
      Admission admission,
      AcceptSettings arrivals) {
    this.group = group;
    this.admission = admission;
    this.arrivals = arrivals;
    this.pipeline = new ClientPipeline(sessionLoops, admission);
  }

  /** Binds and accepts clients; fails with {@link CannotBindException}. */
  public CompletionStage<InetSocketAddress> bind(InetSocketAddress address) {
    var bound = new CompletableFuture<InetSocketAddress>();
    ServerBootstrap server = group.serverBootstrap(arrivals.keepAlive()).childHandler(pipeline);
    if (arrivals.maxPerSecond() > 0) {
      server.handler(new ConnectionRateLimit(arrivals.maxPerSecond(), admission));
    }
    ChannelFuture binding = server.bind(address);
    binding.addListener(done -> {
      if (done.isSuccess()) {
        channel = binding.channel();
        bound.complete((InetSocketAddress) binding.channel().localAddress());
      } else {
        bound.completeExceptionally(
            new CannotBindException(admission.label(), address, done.cause()));
      }
    });
    return bound;
  }

  /** Returns whether clients can connect. */
  public boolean isOpen() {
    Channel listening = channel;
    return listening != null && listening.isActive();
  }

  /**
   * Stops accepting clients; connected clients stay connected.
   *
   * @return completes when the last accepted client is on its loop
   */
  public CompletableFuture<Void> close() {
    var closed = new CompletableFuture<Void>();
    Channel listening = channel;
    if (listening == null) {
      closed.complete(null);
    } else {
      listening.close().addListener(_ -> closed.complete(null));
    }
    return closed;
  }
}
