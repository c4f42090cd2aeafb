package io.penstock.bench.load;

import io.penstock.bench.measure.LoadFailure;
import java.time.Duration;

/**
 * The size of a load.
 *
 * @param requests of a usual {@code redis-benchmark} run; heavier ones send a part of it
 * @param seconds that a timed load lasts
 * @param keys that loads spread over, fewer where values are large
 * @param connections at most
 */
public record Scale(long requests, Duration seconds, int keys, int connections) {

  /** Upper bound of the bytes of all values together. */
  private static final long BYTES = 64L << 20;

  /** Keys for values of that size. */
  public int keysOf(int valueBytes) {
    return (int) Math.max(1, Math.min(keys, BYTES / Math.max(1, valueBytes)));
  }

  /**
   * Numbers of keys for values of that size, where each number makes a key with each of so many
   * hash tags.
   *
   * @throws LoadFailure when even one key with each tag is too many
   */
  int keysOf(int valueBytes, int tags) {
    if ((long) tags * valueBytes > BYTES) {
      throw new LoadFailure(
          "left out: keys with %d hash tags and values of %d bytes are more than %d MiB"
              .formatted(tags, valueBytes, BYTES >> 20));
    }
    return Math.max(1, keysOf(valueBytes) / tags);
  }

  /** Returns a scale with at most this many connections. */
  public Scale withAtMost(int most) {
    return new Scale(requests, seconds, keys, Math.min(connections, most));
  }

  /** Returns a fraction of the requests, at least one. */
  public long fractionOfRequests(int divisor) {
    return Math.max(1, requests / divisor);
  }

  /** Returns this many connections, or as many as are allowed. */
  public int atMost(int wanted) {
    return Math.min(wanted, connections);
  }
}
