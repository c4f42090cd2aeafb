package io.penstock.core.session;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.KnownPartitions;
import io.penstock.core.route.Router;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;

/**
 * Determines in slices which partition each argument of a request would be in if it is a key, so
 * that routing only combines the results. For one request with many arguments, which is put back
 * meanwhile. Confined to its loop.
 */
final class PartitionSearch implements Sliced {

  /** Bytes of long arguments in a slice at most. */
  private static final int MAX_BYTES = 4 * 1024 * 1024;

  private final Client client;
  private final Allowance account;
  private final Slices slices;
  private final Router router;
  private final CurrentRequest request;
  private final KnownPartitions partitions;
  private int next = 1; // the next argument

  PartitionSearch(ClientContext context, Router router, CurrentRequest request) {
    this.client = context.client();
    this.account = context.account();
    this.slices = context.loop().slices();
    this.router = router;
    this.request = request;
    this.partitions = new KnownPartitions(request.frame());
  }

  /** Starts the search; the client's input is processed again when it is complete. */
  void start() {
    slices.start(this);
  }

  boolean isComplete() {
    return next >= partitions.arguments();
  }

  /** The partitions of the request, if the search is complete. */
  KnownPartitions partitions() {
    return partitions;
  }

  @Override
  public boolean step() {
    if (client.isClosed()) {
      return false;
    }
    RequestFrame frame = request.frame();
    int end = Math.min(partitions.arguments(), next + Slices.STEPS_PER_SLICE);
    for (long bytes = 0; next < end && bytes < MAX_BYTES; next++) {
      int length = frame.length(next);
      if (length <= KnownPartitions.MAX_ARGUMENT_LENGTH) {
        partitions.set(next, router.partitionOf(frame, next));
        bytes += length;
      }
    }
    if (!isComplete()) {
      return true;
    }
    client.processInput();
    account.checkInput();
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
  }
}
