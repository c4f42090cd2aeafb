package io.penstock.core.forward;

import io.penstock.core.client.Backpressure;
import io.penstock.core.mirroring.FollowedCall;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent to the master of every shard that serves partitions. The parts share its
 * bytes.
 */
final class Broadcast implements CoverageWait.AllShardsRequest {

  /** Entries that {@code SLOWLOG GET} returns by default. {@code COMMANDLOG GET} needs a count. */
  private static final int DEFAULT_ENTRIES = 10;

  private final ForwardContext context;
  private final Forwarded whole;
  private final Backpressure backpressure;
  private final RoutePlan.Broadcast plan;
  private final SharedBuffer bytes;
  private final int offset;
  private final int length;
  private final int limit;
  private @Nullable FollowedCall followed; // if copies do the same

  /**
   * @param whole the prepared request, whose options its parts get
   * @param bytes this takes ownership of one share
   */
  Broadcast(
      ForwardContext context,
      Forwarded whole,
      RoutePlan.Broadcast plan,
      ForwardInput input,
      SharedBuffer bytes) {
    this.context = context;
    this.whole = whole;
    this.plan = plan;
    this.backpressure = input.backpressure();
    this.bytes = bytes;
    RequestFrame frame = input.request().frame();
    this.offset = frame.start();
    this.length = frame.end() - frame.start();
    this.limit = limit(frame);
  }

  /**
   * Returns the count of {@code SLOWLOG GET [count]} or {@code COMMANDLOG GET count type}; a node
   * rejects a count that is not a number.
   */
  private static int limit(RequestFrame frame) {
    if (frame.argc() < 3) {
      return DEFAULT_ENTRIES;
    }
    try {
      int count = Integer.parseInt(frame.text(2));
      return count < 0 ? Integer.MAX_VALUE : count;
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  /** Has copies do the same. */
  void follow(@Nullable FollowedCall by) {
    followed = by;
  }

  @Override
  public void send(Placement placement) {
    int[] firstPartitions = placement.firstPartitions();
    int count = 0;
    for (int first : firstPartitions) {
      count += first == Placement.UNCOVERED ? 0 : 1;
    }
    var gather = new Gather(context, whole.replySlot(), plan.merge(), new int[] {limit}, count);
    Part[] parts = new Part[count];
    int next = 0;
    for (int shard = 0; shard < firstPartitions.length; shard++) {
      if (firstPartitions[shard] != Placement.UNCOVERED) {
        Part part = new Part(gather.parts());
        part.setRequestBytes(bytes.share(), offset, length);
        Endpoint master = placement.shards().get(shard).master();
        part.prepareForShard(whole, master, firstPartitions[shard], plan.separateConnection());
        parts[next++] = part;
      }
    }
    bytes.release();
    FollowedCall by = followed;
    if (by != null) {
      by.follow(parts);
    }
    backpressure.pauseIfBusy(gather.send(parts));
  }

  @Override
  public void cancel() {
    bytes.release();
    FollowedCall by = followed;
    if (by != null) {
      by.cancel();
    }
  }
}
