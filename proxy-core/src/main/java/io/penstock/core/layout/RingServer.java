package io.penstock.core.layout;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/**
 * A server as twemproxy and Overlord know it.
 *
 * @param text what its points are computed from, and what servers are sorted by
 * @param weight at least 1
 * @param partition its index among the configured servers
 */
record RingServer(String text, int weight, int partition) {

  /** Twemproxy's order: shorter texts first, then by their bytes. */
  static final Comparator<RingServer> TWEMPROXY_ORDER =
      Comparator.comparing(RingServer::bytes, RingServer::compare);

  private static final String MEMCACHED_PORT = ":11211";

  /**
   * Twemproxy's text of a server without a name is {@code host:port}, but of port 11211 it is the
   * host alone, and of a Unix socket its path with a colon. It knows IPv6 addresses without
   * brackets.
   */
  static RingServer ofTwemproxy(ShardServer server, int partition) {
    String name = server.name();
    return new RingServer(
        name != null ? name : twemproxyText(server.address()), server.weight(), partition);
  }

  /** Overlord's text of a server without a name is {@code host:port} always. */
  static RingServer ofOverlord(ShardServer server, int partition) {
    return new RingServer(server.label(), server.weight(), partition);
  }

  private static String twemproxyText(String address) {
    if (address.startsWith("/")) {
      return address + ":";
    }
    String text = address.replace("[", "").replace("]", "");
    return text.endsWith(MEMCACHED_PORT)
        ? text.substring(0, text.length() - MEMCACHED_PORT.length())
        : text;
  }

  private byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static int compare(byte[] left, byte[] right) {
    return left.length != right.length
        ? Integer.compare(left.length, right.length)
        : Arrays.compareUnsigned(left, right);
  }
}
