package io.penstock.core.tcp;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * The ring of {@code hash … consistent} in nginx (and of Cache::Memcached::Fast): each server has
 * 160 points for each unit of its weight, and a client belongs to the first point from its hash on.
 * Immutable.
 */
final class HashRing {

  private static final int POINTS_PER_WEIGHT = 160;
  private static final String UNIX = "unix:";

  private final long[] hashes;
  private final int[] owners;

  private HashRing(long[] hashes, int[] owners) {
    this.hashes = hashes;
    this.owners = owners;
  }

  static HashRing of(List<TcpServer> servers) {
    Map<Long, Integer> points = new TreeMap<>();
    for (int i = 0; i < servers.size(); i++) {
      byte[] name = name(servers.get(i).written());
      long hash = 0;
      for (int j = 0; j < servers.get(i).weight() * POINTS_PER_WEIGHT; j++) {
        hash = next(name, hash);
        points.putIfAbsent(hash, i);
      }
    }
    return new HashRing(
        points.keySet().stream().mapToLong(Long::longValue).toArray(),
        points.values().stream().mapToInt(Integer::intValue).toArray());
  }

  private static long next(byte[] name, long previous) {
    var crc = new CRC32();
    crc.update(name);
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      crc.update((int) (previous >> shift) & 0xff);
    }
    return crc.getValue();
  }

  /** Returns host, zero byte, port; of a Unix socket its path, a zero byte and no port. */
  private static byte[] name(String written) {
    int colon = written.lastIndexOf(':');
    String text;
    if (written.startsWith(UNIX)) {
      text = written.substring(UNIX.length()) + '\0';
    } else if (written.startsWith("/") || written.startsWith("@")) {
      text = written + '\0';
    } else {
      text = written.substring(0, colon) + '\0' + written.substring(colon + 1);
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the number of points. */
  int size() {
    return hashes.length;
  }

  /** Returns the hash of a point. */
  long hash(int point) {
    return hashes[point];
  }

  /** Returns the first point from a hash on; {@link #size} past the last one. */
  int find(long hash) {
    int low = 0;
    int high = hashes.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (hashes[middle] < hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the server of a point, which may be past the last one: the ring begins again. */
  int owner(int point) {
    return owners[Integer.remainderUnsigned(point, owners.length)];
  }
}
