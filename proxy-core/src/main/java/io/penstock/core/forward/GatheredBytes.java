package io.penstock.core.forward;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;

/**
 * How many bytes of replies are held until all of them are here, which none can be given before.
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

  /** Whether there were more than one request may have; nothing is held from then on. */
  public boolean isTooLarge() {
    return tooLarge;
  }

  /** So many more are to be held: answers true when these are the ones that make it too many. */
  public boolean overflowsOnAdd(int more) {
    if (tooLarge) {
      return false;
    }
    bytes += more;
    account.addGathered(more);
    tooLarge = limit.isExceeded(bytes, client);
    return tooLarge;
  }

  /** Bytes that are held. */
  long size() {
    return bytes;
  }

  /** Nothing more is to be held. */
  void markTooLarge() {
    tooLarge = true;
  }

  /** They are held no longer. */
  public void release() {
    account.addGathered(-bytes);
    bytes = 0;
  }

  /** All of them will come once more, and may be few enough. */
  public void reset() {
    release();
    tooLarge = false;
  }
}
