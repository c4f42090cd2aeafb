package io.penstock.testkit.network;

import io.penstock.testkit.cluster.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A port of this machine that forwards connections to another one, and breaks the network between
 * the two on request.
 *
 * <p>It keeps TCP's promises: bytes that are held back come later, in order; after a missing byte
 * no further byte comes. Thread-safe.
 */
public final class Relay implements AutoCloseable {

  /** The direction of bytes; the near side is the one that connected. */
  public enum Direction {
    THERE,
    BACK
  }

  /** How a connection ends. */
  public enum End {
    /** In order: FIN after the bytes that were passed on. */
    FIN,
    /** With a reset. */
    RST
  }

  private final InetSocketAddress near;
  private final String host;
  private final int port;
  private final Predicate<InetAddress> exempt;
  private final Set<RelayedConnection> open = ConcurrentHashMap.newKeySet();
  private volatile @Nullable ServerSocket listener;
  private volatile @Nullable Thread accepting;
  private volatile Duration delay = Duration.ZERO;
  private volatile Set<Direction> held = Set.of();
  private volatile boolean closed;

  // Guarded by this: the next cut at a byte.
  private @Nullable Direction cutDirection;
  private End cutEnd = End.FIN;
  private long bytesUntilCut;

  private Relay(InetSocketAddress near, String host, int port, Predicate<InetAddress> exempt) {
    this.near = near;
    this.host = host;
    this.port = port;
    this.exempt = exempt;
  }

  /** From a free port of 127.0.0.1. */
  public static Relay to(String host, int port) {
    return to(host, port, _ -> false);
  }

  /**
   * From a free port of 127.0.0.1.
   *
   * @param exempt addresses whose connections are never affected
   */
  public static Relay to(String host, int port, Predicate<InetAddress> exempt) {
    var near = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.take("127.0.0.1"));
    var relay = new Relay(near, host, port, exempt);
    relay.acceptConnections();
    return relay;
  }

  public int port() {
    return near.getPort();
  }

  /** Returns the number of connections that this relay can affect. */
  public long connections() {
    return open.stream().filter(connection -> !connection.exempt()).count();
  }

  /** Returns the number of exempt connections. */
  public long exemptConnections() {
    return open.size() - connections();
  }

  /** Delays each read's bytes by this time, in both directions. */
  public void delay(Duration time) {
    delay = time;
  }

  /**
   * Simulates a partition: no byte, FIN or reset passes, and a new connection gets no answer.
   * {@link #release} lets all of it through.
   */
  public void holdBack() {
    held = Set.of(Direction.values());
  }

  /** Like {@link #holdBack()} in one direction: replies to what has passed before still arrive. */
  public void holdBack(Direction direction) {
    held = Set.of(direction);
  }

  public void release() {
    held = Set.of();
    synchronized (this) {
      notifyAll();
    }
  }

  /** Returns whether bytes that contain this text are being held back. */
  public boolean isHoldingBack(String text) {
    return open.stream().anyMatch(connection -> connection.isHolding(text));
  }

  /** Ends all connections. */
  public void cut(End end) {
    affected(connection -> connection.end(end));
  }

  /**
   * Ends the connection that is about to pass the {@code bytes + 1}st byte from now on in a
   * direction; earlier bytes are passed on.
   */
  public synchronized void cutAfter(Direction direction, long bytes, End end) {
    cutDirection = direction;
    bytesUntilCut = bytes;
    cutEnd = end;
  }

  /** Cancels {@link #cutAfter}; returns whether it had not happened yet. */
  public synchronized boolean cancelCut() {
    boolean pending = cutDirection != null;
    cutDirection = null;
    return pending;
  }

  public synchronized boolean isCutPending() {
    return cutDirection != null;
  }

  /** Closes one direction of each connection; the other stays open. */
  public void halfClose(Direction direction) {
    affected(connection -> connection.halfClose(direction));
  }

  /**
   * Makes all connections half-open: neither side hears from the other again, and none is closed.
   * New connections work.
   */
  public void halfOpen() {
    affected(RelayedConnection::forget);
  }

  /** Returns whether the near sides of all half-open connections have closed them. */
  public boolean nearSidesHaveClosed() {
    return open.stream().noneMatch(RelayedConnection::isHalfOpenUnnoticed);
  }

  /** Stops listening: new connections are refused. */
  public void refuseConnections() {
    closeListener();
  }

  /** Listens (again). */
  public void acceptConnections() {
    if (listener != null) {
      return;
    }
    try {
      var socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(near, 1_024);
      listener = socket;
      accepting = start("accept", () -> accept(socket));
    } catch (IOException e) {
      throw new UncheckedIOException("relay on " + near, e);
    }
  }

  /** Restores the network: everything passes, and half-open connections are closed. */
  public void restore() {
    cancelCut();
    delay(Duration.ZERO);
    acceptConnections();
    release();
    for (RelayedConnection connection : open) {
      connection.endIfForgotten();
    }
  }

  @Override
  public void close() {
    closed = true;
    closeListener();
    release();
    open.forEach(connection -> connection.end(End.FIN));
    FreePorts.giveBack(near.getPort());
  }

  @Override
  public String toString() {
    return "relay " + near.getPort() + " to " + port;
  }

  private void affected(Consumer<RelayedConnection> what) {
    for (RelayedConnection connection : open) {
      if (!connection.exempt()) {
        what.accept(connection);
      }
    }
  }

  private void closeListener() {
    ServerSocket socket = listener;
    listener = null;
    if (socket != null) {
      try {
        socket.close();
        Thread thread = accepting;
        if (thread != null) {
          thread.join(); // until then the port listens
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void accept(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket accepted = socket.accept();
        start("connect", () -> connect(accepted));
      } catch (IOException e) {
        // closed, or the client has closed already
      }
    }
  }

  private void connect(Socket accepted) {
    boolean through = exempt.test(accepted.getInetAddress());
    if (!through) {
      awaitPassage(Direction.THERE);
    }
    var onward = new Socket();
    var connection = new RelayedConnection(this, accepted, onward, through);
    open.add(connection);
    try {
      accepted.setTcpNoDelay(true);
      onward.setTcpNoDelay(true);
      onward.connect(new InetSocketAddress(host, port));
      if (closed) {
        connection.end(End.FIN);
      }
    } catch (IOException e) {
      connection.end(End.RST);
      return;
    }
    start("there", () -> connection.pump(Direction.THERE));
    connection.pump(Direction.BACK);
  }

  /** Called before bytes are passed on, by a thread of theirs. */
  void awaitPassage(Direction direction) {
    Duration time = delay;
    if (time.isPositive()) {
      LockSupport.parkNanos(time.toNanos());
    }
    synchronized (this) {
      while (held.contains(direction) && !closed) {
        try {
          wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  /** Returns how many of {@code bytes} may pass; fewer if {@link #cutAfter} applies, once. */
  synchronized int bytesThatMayPass(Direction direction, int bytes) {
    if (direction != cutDirection) {
      return bytes;
    }
    if (bytes <= bytesUntilCut) {
      bytesUntilCut -= bytes;
      return bytes;
    }
    cutDirection = null;
    return (int) bytesUntilCut;
  }

  synchronized End cutEnd() {
    return cutEnd;
  }

  void ended(RelayedConnection connection) {
    open.remove(connection);
  }

  private Thread start(String what, Runnable work) {
    return Thread.ofPlatform().daemon().name("relay " + near.getPort() + " " + what).start(work);
  }
}
