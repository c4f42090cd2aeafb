package io.penstock.core.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A bound socket. It belongs to one listener, and may be handed on to another, so that no client
 * meets a closed port meanwhile. Safe from any thread.
 */
public final class ListeningSocket {

  private final Made made;
  private final ClientPipeline pipeline;
  private final Channel channel;
  private final AtomicBoolean accepting = new AtomicBoolean();
  private volatile Listener owner;

  private ListeningSocket(Made made, ClientPipeline pipeline, Channel channel) {
    this.made = made;
    this.pipeline = pipeline;
    this.channel = channel;
    this.owner = made.owner();
  }

  /**
   * What a socket is made of.
   *
   * @param address one TCP address, or a Unix socket
   * @param owner the listener that it belongs to at first
   * @param file of a Unix socket with a path, otherwise null
   */
  record Made(ListenAddress address, Listener owner, Clients clients, @Nullable SocketFile file) {}

  /** Limits the rate by the settings of the listener that the socket belongs to. */
  private static final class RateLimit extends ChannelInboundHandlerAdapter {

    private final ClientPipeline pipeline;

    RateLimit(ClientPipeline pipeline) {
      this.pipeline = pipeline;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object client) {
      pipeline.clients().rateLimit().channelRead(context, client);
    }
  }

  /**
   * Binds a socket. Clients can connect, and wait for {@link #accept}.
   *
   * @param at where it is bound; the file of a Unix socket is moved later
   */
  static CompletableFuture<ListeningSocket> bind(
      ServerBootstrap server, SocketAddress at, Made made) {
    String unix = made.address() instanceof ListenAddress.Unix socket ? socket.name() : null;
    var pipeline = new ClientPipeline(made.clients(), unix);
    ChannelFuture binding =
        server
            .option(ChannelOption.AUTO_READ, false)
            .handler(new RateLimit(pipeline))
            .childHandler(pipeline)
            .bind(at);
    var bound = new CompletableFuture<ListeningSocket>();
    binding.addListener(done -> {
      if (done.isSuccess()) {
        bound.complete(new ListeningSocket(made, pipeline, binding.channel()));
      } else {
        bound.completeExceptionally(done.cause());
      }
    });
    return bound;
  }

  /** Returns the address that was asked for. */
  public ListenAddress address() {
    return made.address();
  }

  /** Returns the bound TCP address, or null for a Unix socket. */
  @Nullable InetSocketAddress bound() {
    return channel.localAddress() instanceof InetSocketAddress inet ? inet : null;
  }

  /** Hands it on: clients that connect from now on belong to this listener. */
  void serve(Listener listener, Clients clients) {
    owner = listener;
    pipeline.serve(clients);
  }

  /** Accepts clients from now on; does nothing if it does already. */
  void accept() {
    if (accepting.compareAndSet(false, true)) {
      channel.config().setAutoRead(true);
    }
  }

  boolean belongsTo(Listener listener) {
    return owner == listener;
  }

  /** Looks at the file of a Unix socket, so it is not to be called on event loops. */
  boolean isOpen() {
    SocketFile file = made.file();
    return channel.isActive() && (file == null || file.isOurs());
  }

  /** Returns whether it is bound. Of a Unix socket, {@link #isOpen} says more. */
  public boolean isBound() {
    return channel.isActive();
  }

  /**
   * Stops accepting clients; connected clients stay connected. Deletes the file of a Unix socket
   * first, on a thread of its own.
   */
  CompletableFuture<Void> close() {
    SocketFile file = made.file();
    return file == null
        ? closeChannel()
        : SocketFile.run(file::delete).thenCompose(_ -> closeChannel());
  }

  private CompletableFuture<Void> closeChannel() {
    var closed = new CompletableFuture<Void>();
    channel.close().addListener(_ -> closed.complete(null));
    return closed;
  }
}
