package io.penstock.core.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.UnixSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening sockets of a listener: one for each of its addresses, or a Unix socket. */
public final class Listener {

  private static final Logger log = LoggerFactory.getLogger(Listener.class);

  private final LoopGroup group;
  private final Function<EventLoop, SessionLoop> sessionLoops;
  private final Admission admission;
  private final AcceptSettings arrivals;
  private volatile List<Channel> channels = List.of();
  private volatile @Nullable SocketFile file; // of a Unix socket with a path

  /**
   * @param sessionLoops returns the state that the clients of a Netty event loop share
   */
  public Listener(
      LoopGroup group,
      Function<EventLoop, SessionLoop> sessionLoops,
      Admission admission,
      AcceptSettings arrivals) {
    this.group = group;
    this.sessionLoops = sessionLoops;
    this.admission = admission;
    this.arrivals = arrivals;
  }

  /**
   * Binds all addresses and accepts clients; fails with {@link CannotBindException}, and then none
   * stays bound. If the port is 0, the first address selects it for all. Resolves host names, and
   * makes the file of a Unix socket, on the calling thread.
   *
   * @return completes with the bound TCP addresses, in the given order; with none for a Unix socket
   */
  public CompletionStage<List<InetSocketAddress>> bind(ListenAddress address) {
    CompletableFuture<List<InetSocketAddress>> all =
        switch (address) {
          case ListenAddress.Tcp tcp -> bindAll(tcp);
          case ListenAddress.Unix unix -> bindUnix(unix).thenApply(_ -> List.of());
        };
    return all.handle((bound, failure) ->
            failure == null
                ? CompletableFuture.completedFuture(bound)
                : close()
                    .<List<InetSocketAddress>>thenCompose(
                        _ -> CompletableFuture.failedFuture(failure)))
        .thenCompose(Function.identity());
  }

  private ServerBootstrap configured(ServerBootstrap server) {
    if (arrivals.maxPerSecond() > 0) {
      server.handler(new ConnectionRateLimit(arrivals.maxPerSecond(), admission));
    }
    return server;
  }

  private CompletableFuture<List<InetSocketAddress>> bindAll(ListenAddress.Tcp address) {
    ServerBootstrap server =
        configured(group.serverBootstrap(arrivals.keepAlive()))
            .childHandler(new ClientPipeline(sessionLoops, admission, arrivals));
    CompletableFuture<List<InetSocketAddress>> all = CompletableFuture.completedFuture(List.of());
    for (String host : address.hosts()) {
      var wanted = new InetSocketAddress(host, address.port());
      all = all.thenCompose(bound -> bindNext(server, wanted, bound));
    }
    return all;
  }

  private CompletableFuture<List<InetSocketAddress>> bindNext(
      ServerBootstrap server, InetSocketAddress wanted, List<InetSocketAddress> before) {
    InetSocketAddress address =
        before.isEmpty() || wanted.isUnresolved()
            ? wanted
            : new InetSocketAddress(wanted.getAddress(), before.getFirst().getPort());
    var shown = new ListenAddress.Tcp(address.getHostString(), address.getPort());
    return bind(server, address, shown)
        .thenApply(channel -> with(before, (InetSocketAddress) channel.localAddress()));
  }

  private CompletableFuture<Channel> bind(
      ServerBootstrap server, SocketAddress address, ListenAddress shown) {
    var bound = new CompletableFuture<Channel>();
    ChannelFuture binding = server.bind(address);
    binding.addListener(done -> {
      if (done.isSuccess()) {
        channels = with(channels, binding.channel());
        bound.complete(binding.channel());
      } else {
        bound.completeExceptionally(cannotBind(shown, done.cause()));
      }
    });
    return bound;
  }

  private CannotBindException cannotBind(ListenAddress address, Throwable cause) {
    return new CannotBindException(admission.label(), address, cause);
  }

  private CompletableFuture<?> bindUnix(ListenAddress.Unix address) {
    if (!group.transport().hasUnixHalfClosure()) {
      log.warn(
          "{}A client of {} that ends its side before it has all replies does not get them:"
              + " transport {} closes its connection then",
          admission.label().prefix(),
          address,
          group.transport().configName());
    }
    try {
      ServerBootstrap server =
          configured(group.unixServerBootstrap())
              .childHandler(new ClientPipeline(sessionLoops, admission, arrivals, address.name()));
      if (UnixSockets.isAbstract(address.name())) {
        return bind(server, group.unixAddress(address.name()), address);
      }
      SocketFile made = SocketFile.create(address);
      file = made;
      return bind(server, group.unixAddress(made.temporary().toString()), address)
          .thenCompose(_ -> SocketFile.run(made::publish))
          .handle((_, failure) ->
              failure == null
                  ? CompletableFuture.<Void>completedFuture(null)
                  : CompletableFuture.<Void>failedFuture(unwrapped(address, failure)))
          .thenCompose(Function.identity());
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(cannotBind(address, e));
    }
  }

  private CannotBindException unwrapped(ListenAddress address, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof CannotBindException known ? known : cannotBind(address, cause);
  }

  private static <T> List<T> with(List<T> some, T another) {
    return Stream.concat(some.stream(), Stream.of(another)).toList();
  }

  /**
   * Returns whether clients can connect, to each address. Looks at the file of a Unix socket, so it
   * is not to be called on event loops.
   */
  public boolean isOpen() {
    List<Channel> listening = channels;
    SocketFile own = file;
    return !listening.isEmpty()
        && listening.stream().allMatch(Channel::isActive)
        && (own == null || own.isOurs());
  }

  /**
   * Stops accepting clients; connected clients stay connected. Deletes the file of a Unix socket
   * first, on a thread of its own.
   *
   * @return completes when the last accepted client is on its loop
   */
  public CompletableFuture<Void> close() {
    SocketFile own = file;
    file = null;
    return own == null
        ? closeChannels()
        : SocketFile.run(own::delete).thenCompose(_ -> closeChannels());
  }

  private CompletableFuture<Void> closeChannels() {
    return CompletableFuture.allOf(
        channels.stream().map(Listener::close).toArray(CompletableFuture[]::new));
  }

  private static CompletableFuture<Void> close(Channel channel) {
    var closed = new CompletableFuture<Void>();
    channel.close().addListener(_ -> closed.complete(null));
    return closed;
  }
}
