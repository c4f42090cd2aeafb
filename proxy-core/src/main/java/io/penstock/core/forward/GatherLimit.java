package io.penstock.core.forward;

import io.netty.util.internal.PlatformDependent;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientLog;

/**
 * The limit on bytes of replies that are gathered for one request until all of them are here: the
 * longest request, or a share of direct memory if that is less. Confined to a loop.
 */
public final class GatherLimit {

  /** One request may gather this fraction of direct memory. */
  private static final int SHARES = 4;

  private final long maxBytes;
  private final ClientLog notices;

  /**
   * @param maxRequestLength limit on the bytes of a request
   */
  public GatherLimit(long maxRequestLength, ClientLog notices) {
    this.maxBytes = Math.min(maxRequestLength, PlatformDependent.maxDirectMemory() / SHARES);
    this.notices = notices;
  }

  /** Returns how many bytes one request may gather. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns whether {@code bytes} are too many for a request of the client; if so, logs it. */
  boolean isExceeded(long bytes, Client client) {
    if (bytes <= maxBytes) {
      return false;
    }
    notices.replyTooLarge(client, maxBytes);
    return true;
  }
}
