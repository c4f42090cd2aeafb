package io.penstock.core.forward;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;

/**
 * The bytes of replies that are gathered until all of them are here; none can be delivered before.
 * Confined to its loop.
 */
public final class GatheredBytes {

  private final Client client;
  private final Allowance account;
  private final GatherLimit limit;
  private long bytes;
  private boolean tooLarge;

  public GatheredBytes(ClientContext context, GatherLimit limit) {
    this.client = context.client();
    this.account = context.account();
    this.limit = limit;
  }

  /** Returns whether the limit of one request was exceeded. Nothing is gathered from then on. */
  public boolean isTooLarge() {
    return tooLarge;
  }

  /** Adds bytes. Returns true if these are the ones that exceed the limit. */
  public boolean overflowsOnAdd(int added) {
    if (tooLarge) {
      return false;
    }
    bytes += added;
    account.addGathered(added);
    tooLarge = limit.isExceeded(bytes, client);
    return tooLarge;
  }

  /** Returns the number of bytes that are gathered. */
  long size() {
    return bytes;
  }

  /** Stops gathering, as if the limit was exceeded. */
  void markTooLarge() {
    tooLarge = true;
  }

  /** Counts the gathered bytes as released. */
  public void release() {
    account.addGathered(-bytes);
    bytes = 0;
  }

  /** Starts again: all replies come once more, and may be within the limit. */
  public void reset() {
    release();
    tooLarge = false;
  }
}
