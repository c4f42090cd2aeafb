package io.penstock.core.forward;

import io.penstock.core.client.Backpressure;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;

/** A request for the master of every shard that serves partitions; the parts share its bytes. */
final class Broadcast implements CoverageWait.ForAll {

  /** Entries that a server gives when it is not told how many. */
  private static final int FEW = 10;

  private final ForwardContext made;
  private final Forwarded whole;
  private final Backpressure backpressure;
  private final RoutePlan.Broadcast plan;
  private final SharedBuffer bytes;
  private final int offset;
  private final int length;
  private final int limit;

  /**
   * Before it is sent.
   *
   * @param whole prepared; what its parts are sent with
   * @param bytes one share goes over
   */
  Broadcast(
      ForwardContext made,
      Forwarded whole,
      RoutePlan.Broadcast plan,
      ForwardInput how,
      SharedBuffer bytes) {
    this.made = made;
    this.whole = whole;
    this.plan = plan;
    this.backpressure = how.backpressure();
    this.bytes = bytes;
    RequestFrame frame = how.request().frame();
    this.offset = frame.start();
    this.length = frame.end() - frame.start();
    this.limit = limit(frame);
  }

  /** {@code SLOWLOG GET [count]}, where a node refuses what is no count. */
  private static int limit(RequestFrame frame) {
    if (frame.argc() < 3) {
      return FEW;
    }
    try {
      int count = Integer.parseInt(frame.text(2));
      return count < 0 ? Integer.MAX_VALUE : count;
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  @Override
  public void send(Placement map) {
    var gather = new Gather(made, whole.replySlot(), plan.merge(), new int[] {limit});
    List<Part> parts = new ArrayList<>();
    int[] firstPartitions = map.firstPartitions();
    for (int shard = 0; shard < firstPartitions.length; shard++) {
      if (firstPartitions[shard] != Placement.UNCOVERED) {
        Part part = new Part(gather);
        part.setRequestBytes(bytes.share(), offset, length);
        Endpoint master = map.shards().get(shard).master();
        part.prepareForShard(whole, master, firstPartitions[shard], plan.separateConnection());
        parts.add(part);
      }
    }
    bytes.release();
    backpressure.pauseIfBusy(gather.send(parts.toArray(Part[]::new)));
  }

  @Override
  public void cancel() {
    bytes.release();
  }
}
