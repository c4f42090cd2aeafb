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
 * The open connections of the management port: few, and none for long. When one comes that is too
 * many, the oldest of the address that has the most makes room, so that nobody keeps others out.
 *
 * <p>Connections are not closed here, since their threads may be using them: their sockets are shut
 * down, which Tomcat takes for the other side's end. Safe from any thread.
 */
final class Connections {

  /** A reply may take so long, and a second more for each so many bytes that went. */
  private static final Duration REPLY = Duration.ofSeconds(30);

  private static final long BYTES_PER_SECOND = 64 * 1024;

  /** How far a reply has got. */
  interface Progress {
    long bytesWritten();
  }

  private static final class Connection {
    private final SocketChannel channel;
    private final String host;
    private volatile long since;
    private volatile @Nullable Progress reply; // while one is made

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
      return now - since > REPLY.toNanos() + more;
    }

    void end(boolean unsentToo) {
      try {
        channel.shutdownInput();
        if (unsentToo) {
          channel.setOption(StandardSocketOptions.SO_LINGER, 0); // what is unread is dropped
          channel.shutdownOutput();
        }
      } catch (IOException _) {
        // It is closed already.
      }
    }
  }

  private final Map<String, Connection> open = new ConcurrentHashMap<>();
  private final Rejections refusals;
  private final LongSupplier clock;
  private volatile int most = Integer.MAX_VALUE;
  private volatile long requestNanos = Long.MAX_VALUE;

  /**
   * @param clock as {@link System#nanoTime()}
   */
  Connections(Rejections refusals, LongSupplier clock) {
    this.refusals = refusals;
    this.clock = clock;
  }

  /** Bounds them: so many, and so long until a request has come as far as its body. */
  void limit(int connections, Duration request) {
    most = connections;
    requestNanos = request.toNanos();
  }

  /** One was accepted. */
  void admit(SocketChannel channel) throws IOException {
    if (channel.getRemoteAddress() instanceof InetSocketAddress peer) {
      admit(peer.getAddress().getHostAddress(), peer.getPort(), channel);
    }
  }

  void admit(String host, int port, SocketChannel channel) {
    open.values().removeIf(connection -> !connection.channel.isOpen());
    if (open.size() >= most) {
      makeRoom();
    }
    open.put(key(host, port), new Connection(channel, host, clock.getAsLong()));
  }

  private void makeRoom() {
    Map<String, Integer> perHost = new HashMap<>();
    open.values().forEach(connection -> perHost.merge(connection.host, 1, Integer::sum));
    Optional<Map.Entry<String, Connection>> leaving =
        open.entrySet().stream()
            .filter(entry -> entry.getValue().reply == null)
            .max(
                Comparator.<Map.Entry<String, Connection>>comparingInt(
                        entry -> perHost.getOrDefault(entry.getValue().host, 0))
                    .thenComparingLong(entry -> clock.getAsLong() - entry.getValue().since));
    leaving.ifPresent(entry -> end(entry.getKey(), entry.getValue(), Rejection.CONNECTIONS));
  }

  private void end(String key, Connection connection, Rejection why) {
    if (open.remove(key, connection)) {
      refusals.tell(why, key);
      connection.end(connection.reply != null);
    }
  }

  /** The request is there and is answered from here on, until {@link #answered}. */
  void answers(String host, int port, Progress reply) {
    Connection connection = open.get(key(host, port));
    if (connection != null) {
      connection.since = clock.getAsLong();
      connection.reply = reply;
    }
  }

  void answered(String host, int port) {
    Connection connection = open.get(key(host, port));
    if (connection != null) {
      connection.since = clock.getAsLong();
      connection.reply = null;
    }
  }

  /** Ends those that take too long; called several times a second. */
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
