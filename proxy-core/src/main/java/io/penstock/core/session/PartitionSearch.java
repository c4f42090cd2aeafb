package io.penstock.core.session;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.KnownPartitions;
import io.penstock.core.route.Router;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles requests with many arguments. Determines in slices which partition each argument would be
 * in if it is a key, so that routing only combines the results. Such a request waits until all
 * earlier ones of its client are answered, and is put back meanwhile. Confined to its loop.
 */
final class PartitionSearch implements Sliced {

  /** Bytes of long arguments in a slice at most. */
  private static final int MAX_BYTES = 4 * 1024 * 1024;

  private final Client client;
  private final ReplySequence replies;
  private final Allowance account;
  private final Slices slices;
  private final Router router;
  private final CurrentRequest request;
  private final BooleanSupplier handler;
  private @Nullable KnownPartitions partitions; // of the request that was put back, once begun
  private int next; // the next argument

  /**
   * @param handler handles the request when the partitions are known; returns false if it must wait
   */
  PartitionSearch(
      ClientContext context, Router router, CurrentRequest request, BooleanSupplier handler) {
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.slices = context.loop().slices();
    this.router = router;
    this.request = request;
    this.handler = handler;
  }

  /** Returns whether the partitions of a request are being determined, or known. */
  boolean isUnderWay() {
    return partitions != null;
  }

  /**
   * Handles the request that was found last. Returns false if it must wait; it is put back then.
   */
  boolean handle() {
    KnownPartitions known = partitions;
    if (known == null && replies.isEmpty()) {
      known = new KnownPartitions(request.frame());
      partitions = known;
      next = 1;
      slices.start(this);
    }
    if (known == null || next < known.arguments()) {
      request.putBack();
      return false;
    }
    return handle(known);
  }

  private boolean handle(KnownPartitions known) {
    boolean handled = true;
    router.useKnownPartitions(known);
    try {
      handled = handler.getAsBoolean();
    } finally {
      router.useKnownPartitions(KnownPartitions.NONE);
      if (handled) {
        partitions = null;
      }
    }
    return handled;
  }

  @Override
  public boolean step() {
    KnownPartitions known = partitions;
    if (known == null || client.isClosed()) {
      partitions = null;
      return false;
    }
    RequestFrame frame = request.frame();
    int end = Math.min(known.arguments(), next + Slices.STEPS_PER_SLICE);
    for (long bytes = 0; next < end && bytes < MAX_BYTES; next++) {
      int length = frame.length(next);
      if (length <= KnownPartitions.MAX_ARGUMENT_LENGTH) {
        known.set(next, router.partitionOf(frame, next));
        bytes += length;
      }
    }
    if (next < known.arguments()) {
      return true;
    }
    client.processInput();
    account.checkInput();
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    partitions = null;
    client.fail(cause);
  }
}
