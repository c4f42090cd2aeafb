package io.penstock.core.layout;

import io.penstock.core.hash.Md5;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Twemproxy's and Overlord's rings. A server has about 40 texts, by its share of the weights:
 * {@code name-0}, {@code name-1} and so on. The MD5 digest of each has four points.
 *
 * <p>Of equal points the one that is added first counts. Twemproxy leaves it to the C library's
 * {@code qsort}, which keeps their order in glibc; Overlord leaves it to chance.
 */
final class Ketama {

  /** The longest text that twemproxy has room for. */
  static final int TWEMPROXY_TEXT_BYTES = 85;

  private static final int OVERLORD_TEXT_BYTES = 64;
  private static final int POINTS_PER_SERVER = 160;
  private static final int POINTS_PER_TEXT = 4;

  /** Added before rounding down, by both. */
  private static final double ALLOWANCE = 0.0000000001;

  private final Ring.Builder ring = new Ring.Builder();
  private final int[] digest = new int[POINTS_PER_TEXT];

  private Ketama() {}

  /**
   * Returns twemproxy's ring. The number of texts is computed with floats, so that for some numbers
   * of servers, 25 for example, each has a text less.
   *
   * @param servers those in the ring, in twemproxy's order
   */
  static Ring twemproxy(List<RingServer> servers) {
    Ketama ketama = new Ketama();
    float total = sum(servers);
    float count = servers.size();
    for (RingServer server : servers) {
      float share = server.weight() / total;
      double texts = share * POINTS_PER_SERVER / POINTS_PER_TEXT * count + ALLOWANCE;
      ketama.add(server, (int) (float) texts, TWEMPROXY_TEXT_BYTES);
    }
    return ketama.ring.build();
  }

  /** Returns Overlord's ring, which is computed with doubles. */
  static Ring overlord(List<RingServer> servers) {
    Ketama ketama = new Ketama();
    double total = sum(servers);
    for (RingServer server : servers) {
      double share = server.weight() / total;
      double texts = share * POINTS_PER_SERVER / POINTS_PER_TEXT * servers.size() + ALLOWANCE;
      ketama.add(server, (int) texts, OVERLORD_TEXT_BYTES);
    }
    return ketama.ring.build();
  }

  /** Returns the most texts that one of {@code servers} servers can have. */
  static int mostTexts(int servers) {
    return servers * POINTS_PER_SERVER / POINTS_PER_TEXT;
  }

  private static long sum(List<RingServer> servers) {
    return servers.stream().mapToLong(RingServer::weight).sum();
  }

  private void add(RingServer server, int texts, int maxBytes) {
    for (int i = 0; i < texts; i++) {
      byte[] text = (server.text() + "-" + i).getBytes(StandardCharsets.UTF_8);
      Md5.of(text.length > maxBytes ? Arrays.copyOf(text, maxBytes) : text, digest);
      for (int point : digest) {
        ring.add(point, server.partition());
      }
    }
  }
}
