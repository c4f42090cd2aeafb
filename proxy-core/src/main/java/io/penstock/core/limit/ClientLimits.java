package io.penstock.core.limit;

import io.netty.util.internal.PlatformDependent;

/**
 * The limits for one client and for all clients.
 *
 * @param normal output buffer limit of clients without subscriptions
 * @param subscribers output buffer limit of clients with subscriptions
 * @param memory bytes in buffers of all clients, as {@code maxmemory-clients} of Redis; 0 for no
 *     limit
 * @param timeouts how long a client may keep Penstock waiting
 * @param inFlight unanswered requests of one client; reading from the client is paused at this
 *     number
 * @param totalInFlight unanswered requests of all clients of one loop; further ones are rejected
 * @param patterns patterns that one client may be subscribed to
 */
public record ClientLimits(
    OutputLimit normal,
    OutputLimit subscribers,
    long memory,
    ClientTimeouts timeouts,
    int inFlight,
    int totalInFlight,
    int patterns) {

  /** The default for the memory of clients is this fraction of the direct memory. */
  private static final int CLIENTS_FRACTION = 2;

  /** The default limits. */
  public static final ClientLimits DEFAULTS =
      new ClientLimits(
          OutputLimit.NONE,
          OutputLimit.SUBSCRIBERS,
          memoryByDefault(),
          ClientTimeouts.DEFAULTS,
          4_096,
          1_048_576,
          10_000);

  /** Half of the direct memory of this process, in bytes. */
  public static long memoryByDefault() {
    return PlatformDependent.maxDirectMemory() / CLIENTS_FRACTION;
  }
}
