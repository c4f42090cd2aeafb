package io.penstock.core.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.LoopGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The listening sockets of a listener: one for each of its addresses. */
public final class Listener {

  private final LoopGroup group;
  private final ClientPipeline pipeline;
  private final Admission admission;
  private volatile AcceptSettings arrivals;
  private volatile List<Channel> channels = List.of();

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
    this.pipeline = new ClientPipeline(sessionLoops, admission, arrivals);
  }

  /**
   * Binds all addresses and accepts clients; fails with {@link CannotBindException}, and then none
   * stays bound. If the port is 0, the first address selects it for all. Resolves host names on the
   * calling thread.
   *
   * @return completes with the bound addresses, in the given order
   */
  public CompletionStage<List<InetSocketAddress>> bind(ListenAddress address) {
    ServerBootstrap server = group.serverBootstrap(arrivals.keepAlive()).childHandler(pipeline);
    if (arrivals.maxPerSecond() > 0) {
      server.handler(new ConnectionRateLimit(arrivals.maxPerSecond(), admission));
    }
    CompletableFuture<List<InetSocketAddress>> all = CompletableFuture.completedFuture(List.of());
    for (String host : address.hosts()) {
      var wanted = new InetSocketAddress(host, address.port());
      all = all.thenCompose(bound -> bindNext(server, wanted, bound));
    }
    return all.handle((bound, failure) ->
            failure == null
                ? CompletableFuture.completedFuture(bound)
                : close()
                    .<List<InetSocketAddress>>thenCompose(
                        _ -> CompletableFuture.failedFuture(failure)))
        .thenCompose(Function.identity());
  }

  private CompletableFuture<List<InetSocketAddress>> bindNext(
      ServerBootstrap server, InetSocketAddress wanted, List<InetSocketAddress> before) {
    InetSocketAddress address =
        before.isEmpty() || wanted.isUnresolved()
            ? wanted
            : new InetSocketAddress(wanted.getAddress(), before.getFirst().getPort());
    var bound = new CompletableFuture<List<InetSocketAddress>>();
    ChannelFuture binding = server.bind(address);
    binding.addListener(done -> {
      if (done.isSuccess()) {
        channels = with(channels, binding.channel());
        bound.complete(with(before, (InetSocketAddress) binding.channel().localAddress()));
      } else {
        bound.completeExceptionally(
            new CannotBindException(admission.label(), address, done.cause()));
      }
    });
    return bound;
  }

  /** Uses other settings for clients that connect from now on. */
  public void adopt(AcceptSettings next) {
    arrivals = next;
    pipeline.adopt(next);
    ConnectionRateLimit limit =
        next.maxPerSecond() == 0 ? null : new ConnectionRateLimit(next.maxPerSecond(), admission);
    for (Channel channel : channels) {
      channel.eventLoop().execute(() -> limitRate(channel, limit));
    }
  }

  private static void limitRate(Channel channel, @Nullable ConnectionRateLimit limit) {
    ConnectionRateLimit present = channel.pipeline().get(ConnectionRateLimit.class);
    if (present != null) {
      channel.pipeline().remove(present);
    }
    if (limit != null) {
      channel.pipeline().addFirst(limit);
    }
  }

  private static <T> List<T> with(List<T> some, T another) {
    return Stream.concat(some.stream(), Stream.of(another)).toList();
  }

  /** Returns whether clients can connect, to each address. */
  public boolean isOpen() {
    List<Channel> listening = channels;
    return !listening.isEmpty() && listening.stream().allMatch(Channel::isActive);
  }

  /**
   * Stops accepting clients; connected clients stay connected.
   *
   * @return completes when the last accepted client is on its loop
   */
  public CompletableFuture<Void> close() {
    return CompletableFuture.allOf(
        channels.stream().map(Listener::close).toArray(CompletableFuture[]::new));
  }

  private static CompletableFuture<Void> close(Channel channel) {
    var closed = new CompletableFuture<Void>();
    channel.close().addListener(_ -> closed.complete(null));
    return closed;
  }
}
