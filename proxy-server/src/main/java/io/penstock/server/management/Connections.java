package io.penstock.server.management;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of the management port, bounded in number and in time. When a new connection
 * exceeds the limit, the oldest connection of the address with the most connections is ended, so
 * that one client cannot keep others out.
 *
 * <p>A connection is not closed here, because a thread may be using it: its socket is shut down,
 * which Tomcat handles like a close by the peer. Thread-safe.
 */
final class Connections {

  /** The time for a reply, plus one second for each {@link #BYTES_PER_SECOND} bytes written. */
  private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(30);

  private static final long BYTES_PER_SECOND = 64 * 1024;

  /** The progress of a reply. */
  interface Progress {
    long bytesWritten();
  }

  private static final class Connection {
    private final SocketChannel channel;
    private final String host;
    private volatile long since;
    private volatile @Nullable Progress reply; // null while no request is being answered

    Connection(SocketChannel channel, String host, long now) {
      this.channel = channel;
      this.host = host;
      this.since = now;
    }

    boolean isOverdue(long now, long requestNanos) {
      Progress current = reply;
      if (current == null) {
        return now - since > requestNanos;
      }
      long more = Duration.ofSeconds(current.bytesWritten() / BYTES_PER_SECOND).toNanos();
      return now - since > REPLY_TIMEOUT.toNanos() + more;
    }

    void shutDown(boolean dropUnsent) {
      try {
        channel.shutdownInput();
        if (dropUnsent) {
          channel.setOption(StandardSocketOptions.SO_LINGER, 0); // drops what the peer has not read
          channel.shutdownOutput();
        }
      } catch (IOException _) {
        // already closed
      }
    }
  }

  private final Map<String, Connection> open = new ConcurrentHashMap<>();
  private final Rejections rejections;
  private final LongSupplier clock;
  private volatile int maxConnections = Integer.MAX_VALUE;
  private volatile long requestNanos = Long.MAX_VALUE;

  /**
   * @param clock as {@link System#nanoTime()}
   */
  Connections(Rejections rejections, LongSupplier clock) {
    this.rejections = rejections;
    this.clock = clock;
  }

  /**
   * Sets the limits.
   *
   * @param connections the maximum number of open connections
   * @param request the time until the headers of a request have arrived
   */
  void limit(int connections, Duration request) {
    maxConnections = connections;
    requestNanos = request.toNanos();
  }

  /** Adds an accepted connection. */
  void admit(SocketChannel channel) throws IOException {
    if (channel.getRemoteAddress() instanceof InetSocketAddress peer) {
      admit(peer.getAddress().getHostAddress(), peer.getPort(), channel);
    }
  }

  void admit(String host, int port, SocketChannel channel) {
    open.values().removeIf(connection -> !connection.channel.isOpen());
    if (open.size() >= maxConnections) {
      makeRoom();
    }
    open.put(key(host, port), new Connection(channel, host, clock.getAsLong()));
  }

  private void makeRoom() {
    Map<String, Integer> perHost = new HashMap<>();
    open.values().forEach(connection -> perHost.merge(connection.host, 1, Integer::sum));
    Optional<Map.Entry<String, Connection>> oldest =
        open.entrySet().stream()
            .filter(entry -> entry.getValue().reply == null)
            .max(
                Comparator.<Map.Entry<String, Connection>>comparingInt(
                        entry -> perHost.getOrDefault(entry.getValue().host, 0))
                    .thenComparingLong(entry -> clock.getAsLong() - entry.getValue().since));
    oldest.ifPresent(entry -> end(entry.getKey(), entry.getValue(), Rejection.CONNECTIONS));
  }

  private void end(String key, Connection connection, Rejection reason) {
    if (open.remove(key, connection)) {
      rejections.record(reason, key);
      connection.shutDown(connection.reply != null);
    }
  }

  /** The headers of a request have arrived; it is being answered until {@link #replyEnded}. */
  void replyBegan(String host, int port, Progress reply) {
    Connection connection = open.get(key(host, port));
    if (connection != null) {
      connection.since = clock.getAsLong();
      connection.reply = reply;
    }
  }

  void replyEnded(String host, int port) {
    Connection connection = open.get(key(host, port));
    if (connection != null) {
      connection.since = clock.getAsLong();
      connection.reply = null;
    }
  }

  /** Ends connections that take too long. Called several times a second. */
  void endOverdue() {
    long now = clock.getAsLong();
    open.values().removeIf(connection -> !connection.channel.isOpen());
    open.forEach((key, connection) -> {
      if (connection.isOverdue(now, requestNanos)) {
        end(key, connection, Rejection.TIMEOUT);
      }
    });
  }

  private static String key(String host, int port) {
    return host + ":" + port;
  }
}
