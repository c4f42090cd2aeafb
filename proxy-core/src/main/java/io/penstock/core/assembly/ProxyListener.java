package io.penstock.core.assembly;

import io.netty.channel.EventLoop;
import io.penstock.core.listener.Admission;
import io.penstock.core.listener.ClientService;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.Listener;
import io.penstock.core.listener.Listener.BoundSockets;
import io.penstock.core.listener.ListeningSocket;
import io.penstock.core.listener.LoopService;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.transport.LoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A listener of a proxy: its sockets, and the clients that they accept, which it serves as its
 * upstream needs: there is one kind for RESP and one for plain TCP. A listener whose upstream
 * becomes one of the other kind is replaced by another listener, which takes its sockets. All
 * methods are safe from any thread.
 */
public abstract sealed class ProxyListener permits RespListener, TcpListener {

  private final Admission admission;
  private final Listener socket;
  private volatile List<InetSocketAddress> addresses = List.of();

  ProxyListener(LoopGroup group, Admission admission, ProxySettings.Listener settings) {
    this.admission = admission;
    this.socket = new Listener(group, new Served(this), admission, settings.listen().arrivals());
  }

  /** The clients of a listener, which is not complete yet when its socket is made. */
  private record Served(ProxyListener listener) implements ClientService {

    @Override
    public LoopService on(EventLoop loop) {
      return listener.service().on(loop);
    }

    @Override
    public byte @Nullable [] rejection() {
      return listener.service().rejection();
    }
  }

  /** Returns the limit on clients, with its log lines and events. */
  public static Admission admission(
      ProxySettings.Listener settings, ProxySettings all, ProxyEvents events) {
    var label = Label.ofListener(settings.name(), all.listeners().size() == 1);
    return new Admission(settings.listen().maxClients(), label, events.ofListener(label));
  }

  /** Returns what serves its clients. */
  abstract ClientService service();

  /** Returns the settings in force. */
  public abstract ProxySettings.Listener settings();

  /** Returns the upstream that it serves. */
  public abstract ProxyUpstream upstream();

  /** Returns whether it can serve this upstream in place of its own: they are of one kind. */
  public abstract boolean canServe(ProxyUpstream other);

  /** Returns the statistics of its clients. Completes on one of the event loops. */
  public abstract CompletableFuture<ProxyStats> figures();

  /**
   * Applies other settings, which have the same addresses, and serves another upstream. Clients
   * that speak RESP stay connected, unless the upstreams have different numbers of lanes: then they
   * are closed once they are answered. One change at a time.
   *
   * @param other one that it {@link #canServe}
   * @param drainTimeout after which clients that cannot change to the other upstream are closed
   * @return completes when each loop applies them to new clients and new requests
   */
  public abstract CompletableFuture<Void> adopt(
      ProxySettings.Listener next, ProxyUpstream other, Duration drainTimeout);

  /**
   * Stops accepting clients until {@link #resume}, and closes those that it has once they are
   * answered. Not at the same time as {@link #adopt}.
   *
   * @param drainTimeout after which clients that are still there are closed
   * @return completes when the last accepted client has been told to leave
   */
  public abstract CompletableFuture<Void> suspend(Duration drainTimeout);

  /**
   * Closes clients at once. For the options see {@link
   * io.penstock.core.directory.ClientDirectory#kill}.
   */
  public abstract CompletableFuture<Integer> kill(Map<String, String> options);

  /**
   * Stops accepting clients and answers the requests in flight. Completes when all clients are
   * closed.
   */
  public abstract CompletableFuture<Void> drain();

  /**
   * Closes the socket and all clients at once, and frees what the upstream has for them. Completes
   * when each loop has closed its own.
   */
  public abstract CompletableFuture<Void> close();

  /**
   * Binds all addresses, or none; fails with {@link io.penstock.core.listener.CannotBindException}.
   */
  public CompletableFuture<Void> bind() {
    return open(settings().listen().address(), BoundSockets.NONE).thenAccept(this::take);
  }

  /**
   * Opens the sockets of other addresses, or none; those that it has stay. Clients are accepted
   * after {@link #take}. Fails like {@link #bind}.
   *
   * @param bound by this or another listener
   */
  public CompletableFuture<List<ListeningSocket>> open(ListenAddress address, BoundSockets bound) {
    return socket.open(address, bound);
  }

  /** Returns its socket for an address, or null. */
  public @Nullable ListeningSocket find(ListenAddress address) {
    return socket.sockets().stream()
        .filter(each -> each.isBound() && each.address().equals(address))
        .findFirst()
        .orElse(null);
  }

  /** Has these sockets from now on. Clients that came to others stay connected. */
  public void take(List<ListeningSocket> opened) {
    addresses = socket.take(opened);
  }

  /** Closes the sockets from before {@link #take} that no listener has taken. */
  public CompletableFuture<Void> closeOthers() {
    return socket.closeOthers();
  }

  /** Closes sockets that were opened and not taken. */
  public CompletableFuture<Void> discard(List<ListeningSocket> opened) {
    return socket.discard(opened);
  }

  /** Returns the configured name. */
  public String name() {
    return settings().name();
  }

  /**
   * Returns the TCP addresses that clients connect to; empty before they are bound, and if it is a
   * Unix socket.
   */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** Returns the first of the {@link #addresses}, or null if there is none. */
  public @Nullable InetSocketAddress address() {
    List<InetSocketAddress> bound = addresses();
    return bound.isEmpty() ? null : bound.getFirst();
  }

  /** Returns where clients connect, with the port that was bound in place of 0. */
  public ListenAddress listenAddress() {
    InetSocketAddress bound = address();
    ListenAddress wanted = settings().listen().address();
    return bound != null && wanted instanceof ListenAddress.Tcp tcp
        ? tcp.withPort(bound.getPort())
        : wanted;
  }

  /** Returns whether it accepts clients: it is bound, and was not taken out of service. */
  public boolean isInService() {
    return socket.sockets().stream().allMatch(ListeningSocket::isBound);
  }

  /** Returns whether clients can connect. Not to be called on event loops. */
  public boolean isListening() {
    return socket.isOpen();
  }

  /** Returns whether clients can connect and the master of at least one slot answers. */
  public boolean isReady() {
    return isListening() && upstream().isReady();
  }

  /** Returns whether clients must use TLS. */
  public boolean isEncrypted() {
    return settings().listen().arrivals().tls() != null;
  }

  /** Returns the number of connected clients. */
  public int clients() {
    return admission.now();
  }

  /** Returns the statistics of its clients. Completes on one of the event loops. */
  public CompletionStage<ProxyStats> stats() {
    return figures();
  }

  /** Uses other limits for clients that connect from now on. */
  void adopt(ProxySettings.Listen listen) {
    admission.limit(listen.maxClients());
    socket.adopt(listen.arrivals());
  }

  /** Accepts clients again at the same addresses; fails like {@link #bind}. */
  public CompletableFuture<Void> resume() {
    return open(listenAddress(), BoundSockets.NONE)
        .thenAccept(this::take)
        .thenCompose(_ -> closeOthers());
  }

  /** Stops accepting clients. Completes when the last accepted client is on its loop. */
  CompletableFuture<Void> stopAccepting() {
    return socket.close();
  }
}
