package io.penstock.core.limit;

import io.netty.util.internal.PlatformDependent;

/**
 * What a client, and all of them, may take of Penstock.
 *
 * @param normal how much a client may leave unread
 * @param subscribers how much one may that has subscribed to something
 * @param memory bytes that all clients may keep in buffers, Redis's {@code maxmemory-clients}; 0 is
 *     no limit
 * @param timeouts how long a client may keep Penstock waiting
 * @param inFlight most unanswered requests of one client: it is not read meanwhile
 * @param totalInFlight most unanswered requests of all clients of one loop: further ones are
 *     refused
 */
public record ClientLimits(
    OutputLimit normal,
    OutputLimit subscribers,
    long memory,
    ClientTimeouts timeouts,
    int inFlight,
    int totalInFlight) {

  /** Of all the direct memory there is, clients' buffers may take this share. */
  private static final int SHARE_OF_CLIENTS = 2;

  /** What holds where nothing else is configured. */
  public static final ClientLimits DEFAULTS =
      new ClientLimits(
          OutputLimit.NONE,
          OutputLimit.SUBSCRIBERS,
          memoryByDefault(),
          ClientTimeouts.DEFAULTS,
          4_096,
          1_048_576);

  /** Half of the direct memory that this process may have, in bytes. */
  public static long memoryByDefault() {
    return PlatformDependent.maxDirectMemory() / SHARE_OF_CLIENTS;
  }
}
