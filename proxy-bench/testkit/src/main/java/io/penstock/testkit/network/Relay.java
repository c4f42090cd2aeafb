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
 * A port of this machine whose connections lead to another one, and the only place where the
 * network between the two breaks.
 *
 * <p>What TCP never does, this does not do either: bytes that were held back or not yet passed on
 * come later or, once one is missing, none after it comes. Thread-safe.
 */
public final class Relay implements AutoCloseable {

  /** Which way bytes go; the side that connected is the near one. */
  public enum Direction {
    THERE,
    BACK
  }

  /** How a connection ends. */
  public enum End {
    /** In order: FIN behind what was passed on. */
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
  private volatile boolean held;
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
   * @param exempt who is connected whatever happens to others, by address
   */
  public static Relay to(String host, int port, Predicate<InetAddress> exempt) {
    var near = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.take("127.0.0.1"));
    var relay = new Relay(near, host, port, exempt);
    relay.admit();
    return relay;
  }

  public int port() {
    return near.getPort();
  }

  /** Connections that are affected by what is done here. */
  public long connections() {
    return open.stream().filter(connection -> !connection.exempt()).count();
  }

  /** The others. */
  public long exemptConnections() {
    return open.size() - connections();
  }

  /** From now on each read's bytes wait for so long before they are passed on, both ways. */
  public void delay(Duration time) {
    delay = time;
  }

  /**
   * The network is gone: nothing passes, nothing ends, who connects hears nothing. All of it comes
   * after {@link #release}.
   */
  public void hold() {
    held = true;
  }

  public void release() {
    held = false;
    synchronized (this) {
      notifyAll();
    }
  }

  /** Whether bytes with this text in them have come, and wait to be passed on. */
  public boolean isHolding(String text) {
    return open.stream().anyMatch(connection -> connection.isHolding(text));
  }

  /** Ends all connections. */
  public void cut(End end) {
    affected(connection -> connection.end(end));
  }

  /**
   * Ends the connection that wants to pass the {@code bytes + 1}st byte from now on in a direction;
   * those before it are passed on.
   */
  public synchronized void cutAfter(Direction direction, long bytes, End end) {
    cutDirection = direction;
    bytesUntilCut = bytes;
    cutEnd = end;
  }

  /** Whether {@link #cutAfter} is yet to happen; it will not any more. */
  public synchronized boolean spare() {
    boolean pending = cutDirection != null;
    cutDirection = null;
    return pending;
  }

  public synchronized boolean isCutPending() {
    return cutDirection != null;
  }

  /** One side of each connection ends what it sends; the other way stays open. */
  public void halfClose(Direction direction) {
    affected(connection -> connection.halfClose(direction));
  }

  /**
   * Half-opens all connections: each side believes in the other for ever, and hears nothing any
   * more. New ones work.
   */
  public void forget() {
    affected(RelayedConnection::forget);
  }

  /** Whether the near sides of all half-open connections have given them up. */
  public boolean isForgottenByNear() {
    return open.stream().noneMatch(RelayedConnection::isBelievedIn);
  }

  /** Nobody listens: who connects is refused. */
  public void refuse() {
    closeListener();
  }

  /** Listens (again). */
  public void admit() {
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

  /** Everything passes, and connections that were half-open end. */
  public void mend() {
    spare();
    delay(Duration.ZERO);
    admit();
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
        // closed, or whoever connected is gone already
      }
    }
  }

  private void connect(Socket accepted) {
    boolean through = exempt.test(accepted.getInetAddress());
    if (!through) {
      awaitPassage();
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
  void awaitPassage() {
    Duration time = delay;
    if (time.isPositive()) {
      LockSupport.parkNanos(time.toNanos());
    }
    synchronized (this) {
      while (held && !closed) {
        try {
          wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  /** How many of {@code bytes} may pass; fewer where {@link #cutAfter} strikes, once. */
  synchronized int passing(Direction direction, int bytes) {
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
