package io.penstock.core.listener;

import io.netty.channel.EventLoop;
import io.penstock.core.failure.Causes;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.UnixSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening sockets of a listener: one for each of its addresses, or a Unix socket. Other
 * sockets may take their place: {@link #open} makes them, {@link #take} uses them, {@link
 * #closeOthers} closes the earlier ones. Safe from any thread; one change at a time.
 */
public final class Listener {

  private static final Logger log = LoggerFactory.getLogger(Listener.class);

  private final LoopGroup group;
  private volatile Clients clients;
  private volatile List<ListeningSocket> sockets = List.of();
  private volatile List<ListeningSocket> earlier = List.of();

  /**
   * For clients that speak RESP.
   *
   * @param sessionLoops returns the state that the clients of a Netty event loop share
   */
  public Listener(
      LoopGroup group,
      Function<EventLoop, SessionLoop> sessionLoops,
      Admission admission,
      AcceptSettings arrivals) {
    this(group, new RespService(sessionLoops), admission, arrivals);
  }

  /**
   * @param service serves the clients
   */
  public Listener(
      LoopGroup group, ClientService service, Admission admission, AcceptSettings arrivals) {
    this.group = group;
    var rateLimit = new ConnectionRateLimit(arrivals.maxPerSecond(), admission);
    this.clients = new Clients(group, service, admission, rateLimit, arrivals);
  }

  /** Finds a socket that is bound already. */
  @FunctionalInterface
  public interface BoundSockets {

    /** No socket is bound. */
    BoundSockets NONE = _ -> null;

    /**
     * Returns the socket that is bound to an address, or null.
     *
     * @param address one TCP address, or a Unix socket
     */
    @Nullable ListeningSocket find(ListenAddress address);
  }

  /** Like {@link #open}, and uses the sockets. */
  public CompletionStage<List<InetSocketAddress>> bind(ListenAddress address) {
    return open(address, BoundSockets.NONE).thenApply(this::take);
  }

  /**
   * Binds all addresses; fails with {@link CannotBindException}, and then none stays bound. Clients
   * can connect, and are accepted after {@link #take}: the settings may be others then. If the port
   * is 0, the first address selects it for all. Resolves host names, and makes the file of a Unix
   * socket, on the calling thread.
   *
   * @param bound sockets that are used instead of a new one; unchanged before {@link #take}
   * @return completes with the sockets, in the given order
   */
  public CompletableFuture<List<ListeningSocket>> open(ListenAddress address, BoundSockets bound) {
    List<ListeningSocket> made = new ArrayList<>(); // one bind after the other adds to it
    CompletableFuture<List<ListeningSocket>> all =
        switch (address) {
          case ListenAddress.Tcp tcp -> openAll(tcp, bound, made);
          case ListenAddress.Unix unix -> openUnix(unix, bound, made).thenApply(List::of);
        };
    return all.handle((opened, failure) ->
            failure == null
                ? CompletableFuture.completedFuture(opened)
                : closeAll(made)
                    .<List<ListeningSocket>>thenCompose(
                        _ -> CompletableFuture.failedFuture(failure)))
        .thenCompose(Function.identity());
  }

  private CompletableFuture<List<ListeningSocket>> openAll(
      ListenAddress.Tcp address, BoundSockets bound, List<ListeningSocket> made) {
    CompletableFuture<List<ListeningSocket>> all = CompletableFuture.completedFuture(List.of());
    for (String host : address.hosts()) {
      all =
          all.thenCompose(before ->
              openTcp(new ListenAddress.Tcp(host, portFor(address, before)), bound, made)
                  .thenApply(socket -> with(before, socket)));
    }
    return all;
  }

  /** If the port is 0, the first address selects it for the others. */
  private static int portFor(ListenAddress.Tcp address, List<ListeningSocket> before) {
    return before.isEmpty()
        ? address.port()
        : Objects.requireNonNull(before.getFirst().bound()).getPort();
  }

  private CompletableFuture<ListeningSocket> openTcp(
      ListenAddress.Tcp address, BoundSockets bound, List<ListeningSocket> made) {
    ListeningSocket present = address.port() == 0 ? null : bound.find(address);
    if (present != null) {
      return CompletableFuture.completedFuture(present);
    }
    var wanted = new InetSocketAddress(address.hosts().getFirst(), address.port());
    return ListeningSocket.bind(
            group.serverBootstrap(), wanted, new ListeningSocket.Made(address, this, clients, null))
        .handle((socket, failure) -> opened(socket, failure, address, made));
  }

  private ListeningSocket opened(
      @Nullable ListeningSocket socket,
      @Nullable Throwable failure,
      ListenAddress address,
      List<ListeningSocket> made) {
    if (socket == null) {
      throw cannotBind(address, Objects.requireNonNull(failure));
    }
    made.add(socket);
    return socket;
  }

  private CannotBindException cannotBind(ListenAddress address, Throwable failure) {
    Throwable cause = Causes.unwrapped(failure);
    return cause instanceof CannotBindException known
        ? known
        : new CannotBindException(clients.admission().label(), address, cause);
  }

  private CompletableFuture<ListeningSocket> openUnix(
      ListenAddress.Unix address, BoundSockets bound, List<ListeningSocket> made) {
    ListeningSocket present = bound.find(address);
    if (present != null) {
      return CompletableFuture.completedFuture(present);
    }
    warnOfLostReplies(address);
    try {
      if (UnixSockets.isAbstract(address.name())) {
        return bindUnix(address, address.name(), null, made);
      }
      SocketFile file = SocketFile.create(address);
      return bindUnix(address, file.temporary().toString(), file, made)
          .exceptionallyCompose(
              failure -> // no socket is made, which would delete the folder
              SocketFile.run(file::delete)
                      .thenCompose(_ -> CompletableFuture.failedFuture(failure)))
          .thenCompose(socket -> SocketFile.run(file::publish).thenApply(_ -> socket))
          .handle((socket, failure) -> {
            if (socket == null) {
              throw cannotBind(address, Objects.requireNonNull(failure));
            }
            return socket;
          });
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(cannotBind(address, e));
    }
  }

  private CompletableFuture<ListeningSocket> bindUnix(
      ListenAddress.Unix address,
      String at,
      @Nullable SocketFile file,
      List<ListeningSocket> made) {
    return ListeningSocket.bind(
            group.unixServerBootstrap(),
            group.unixAddress(at),
            new ListeningSocket.Made(address, this, clients, file))
        .handle((socket, failure) -> opened(socket, failure, address, made));
  }

  private void warnOfLostReplies(ListenAddress.Unix address) {
    if (!group.transport().hasUnixHalfClosure()) {
      log.warn(
          "{}A client of {} that ends its side before it has all replies does not get them:"
              + " transport {} closes its connection then",
          clients.admission().label().prefix(),
          address,
          group.transport().configName());
    }
  }

  /** Uses other settings for clients that connect from now on. */
  public void adopt(AcceptSettings next) {
    Clients now = clients;
    now.rateLimit().perSecond(next.maxPerSecond());
    clients = new Clients(group, now.service(), now.admission(), now.rateLimit(), next);
    for (ListeningSocket socket : sockets) {
      socket.serve(this, clients);
    }
  }

  /**
   * Has these sockets, and accepts clients, from now on. Clients that came to others stay
   * connected.
   *
   * @param opened by {@link #open}
   * @return the bound TCP addresses, in the given order; none for a Unix socket
   */
  public List<InetSocketAddress> take(List<ListeningSocket> opened) {
    earlier = sockets;
    sockets = List.copyOf(opened);
    for (ListeningSocket socket : sockets) {
      socket.serve(this, clients);
      socket.accept();
    }
    return sockets.stream()
        .map(ListeningSocket::bound)
        .<InetSocketAddress>mapMulti((bound, each) -> {
          if (bound != null) {
            each.accept(bound);
          }
        })
        .toList();
  }

  /** Closes the sockets from before {@link #take} that no listener has taken. */
  public CompletableFuture<Void> closeOthers() {
    List<ListeningSocket> others = new ArrayList<>(earlier);
    others.removeAll(sockets);
    earlier = List.of();
    return closeOwn(others);
  }

  /** Closes sockets that were opened and not taken. */
  public CompletableFuture<Void> discard(List<ListeningSocket> opened) {
    List<ListeningSocket> unused = new ArrayList<>(opened);
    unused.removeAll(sockets);
    return closeOwn(unused);
  }

  private CompletableFuture<Void> closeOwn(List<ListeningSocket> some) {
    return closeAll(some.stream().filter(socket -> socket.belongsTo(this)).toList());
  }

  private static <T> List<T> with(List<T> some, T another) {
    return Stream.concat(some.stream(), Stream.of(another)).toList();
  }

  /** Returns the sockets that it has. */
  public List<ListeningSocket> sockets() {
    return sockets;
  }

  /**
   * Returns whether clients can connect, to each address. Looks at the file of a Unix socket, so it
   * is not to be called on event loops.
   */
  public boolean isOpen() {
    List<ListeningSocket> listening = sockets;
    return !listening.isEmpty() && listening.stream().allMatch(ListeningSocket::isOpen);
  }

  /**
   * Stops accepting clients; connected clients stay connected. Deletes the file of a Unix socket
   * first, on a thread of its own.
   *
   * @return completes when the last accepted client is on its loop
   */
  public CompletableFuture<Void> close() {
    return closeOwn(sockets);
  }

  private static CompletableFuture<Void> closeAll(List<ListeningSocket> some) {
    return CompletableFuture.allOf(
        some.stream().map(ListeningSocket::close).toArray(CompletableFuture[]::new));
  }
}
