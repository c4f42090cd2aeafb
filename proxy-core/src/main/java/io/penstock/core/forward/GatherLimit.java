package io.penstock.core.forward;

import io.netty.util.internal.PlatformDependent;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientLog;

/**
 * How many bytes of replies one request may keep until all of them are there: as many as a request
 * may have, where there is memory for several such. Confined to a loop.
 */
public final class GatherLimit {

  /** One client may hold this share of the memory that there is for replies. */
  private static final int SHARES = 4;

  private final long maxBytes;
  private final ClientLog notices;

  /**
   * @param longestRequest bytes that a request may have
   */
  public GatherLimit(long longestRequest, ClientLog notices) {
    this.maxBytes = Math.min(longestRequest, PlatformDependent.maxDirectMemory() / SHARES);
    this.notices = notices;
  }

  /** Whether so many bytes for a request of the client are too many; the log tells of it then. */
  boolean isExceeded(long bytes, Client client) {
    if (bytes <= maxBytes) {
      return false;
    }
    notices.replyTooLarge(client, maxBytes);
    return true;
  }
}
