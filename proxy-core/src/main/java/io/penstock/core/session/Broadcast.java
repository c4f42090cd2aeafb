package io.penstock.core.session;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;

/** A request for the master of every shard that serves slots; the parts share its bytes. */
final class Broadcast implements Coverage.ForAll {

  /** Entries that a server gives when it is not told how many. */
  private static final int FEW = 10;

  private final Request whole;
  private final RoutePlan.Broadcast plan;
  private final SharedBuffer bytes;
  private final int offset;
  private final int length;
  private final int limit;

  /**
   * Before it is sent.
   *
   * @param whole prepared
   * @param bytes one share goes over
   * @param frame the request's, in {@code bytes}
   */
  Broadcast(Request whole, RoutePlan.Broadcast plan, SharedBuffer bytes, RequestFrame frame) {
    this.whole = whole;
    this.plan = plan;
    this.bytes = bytes;
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
      int count = Integer.parseInt(LocalReplies.text(frame, 2));
      return count < 0 ? Integer.MAX_VALUE : count;
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  @Override
  public void go(Placement map) {
    var gather = new Gather(whole, plan.merge(), new int[] {limit});
    List<Part> parts = new ArrayList<>();
    int[] firstPartitions = map.firstPartitions();
    for (int shard = 0; shard < firstPartitions.length; shard++) {
      if (firstPartitions[shard] != Placement.UNCOVERED) {
        Part part = new Part(gather);
        part.carry(bytes.share(), offset, length);
        Endpoint master = map.shards().get(shard).master();
        part.prepareForShard(whole, master, firstPartitions[shard], plan.aside());
        parts.add(part);
      }
    }
    bytes.release();
    Session session = whole.session();
    session.sender().pauseFor(gather.send(parts.toArray(Part[]::new)));
  }

  @Override
  public void gone() {
    bytes.release();
  }
}
