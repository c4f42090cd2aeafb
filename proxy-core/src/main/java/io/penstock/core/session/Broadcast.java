package io.penstock.core.session;

import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import java.util.ArrayList;
import java.util.List;

/** A request for the master of every shard that serves slots; the parts share its bytes. */
final class Broadcast implements Coverage.ForAll {

  private final Request whole;
  private final RoutePlan.Broadcast plan;
  private final SharedBuffer bytes;
  private final int offset;
  private final int length;

  /**
   * Before it is sent.
   *
   * @param whole prepared
   * @param bytes one share goes over
   */
  Broadcast(Request whole, RoutePlan.Broadcast plan, SharedBuffer bytes, int offset, int length) {
    this.whole = whole;
    this.plan = plan;
    this.bytes = bytes;
    this.offset = offset;
    this.length = length;
  }

  @Override
  public void go(SlotMap map) {
    var gather = new Gather(whole, plan.merge());
    List<Part> parts = new ArrayList<>();
    int[] firstSlots = map.firstSlots();
    for (int shard = 0; shard < firstSlots.length; shard++) {
      if (firstSlots[shard] != SlotMap.UNCOVERED) {
        Part part = new Part(gather);
        part.carry(bytes.share(), offset, length);
        Node master = map.shards().get(shard).master();
        part.prepareForShard(whole, master, firstSlots[shard], plan.aside());
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
