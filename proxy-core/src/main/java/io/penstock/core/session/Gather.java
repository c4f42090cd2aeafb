package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.Node;
import io.penstock.core.command.Merge;
import io.penstock.core.observe.Outcome;
import io.penstock.core.route.ReplyMerger;
import org.jspecify.annotations.Nullable;

/** The parts of a request: sends them at once and answers when the last reply has come. */
final class Gather implements Part.Whole {

  private static final int[] NO_KEYS = {};

  private final Request whole;
  private final Session session;
  private final Merge merge;
  private final int[] groupOfKey;
  private Part[] parts = {};
  private int missing;

  /**
   * A request divided over its keys' slots.
   *
   * @param groupOfKey the part of each key
   */
  Gather(Request whole, Merge merge, int[] groupOfKey) {
    this.whole = whole;
    this.session = whole.session();
    this.merge = merge;
    this.groupOfKey = groupOfKey;
  }

  /** A request that goes to several shards as it is. */
  Gather(Request whole, Merge merge) {
    this(whole, merge, NO_KEYS);
  }

  @Override
  public Session session() {
    return session;
  }

  /**
   * Sends the parts, at least one.
   *
   * @return a node that does not keep up, or null
   */
  @Nullable Node send(Part[] prepared) {
    parts = prepared;
    missing = parts.length;
    Node busy = null;
    for (Part part : prepared) {
      if (!session.loop().dispatcher().dispatch(part)) {
        busy = part.sentTo();
      }
    }
    return busy;
  }

  @Override
  public void partDone() {
    if (--missing > 0) {
      return;
    }
    ByteBuf[] replies = new ByteBuf[parts.length];
    Outcome outcome = Outcome.OK;
    for (int i = 0; i < parts.length; i++) {
      replies[i] = parts[i].reply();
      if (outcome == Outcome.OK) {
        outcome = parts[i].outcome();
      }
    }
    if (Census.concerns(merge)) {
      var census = new Census(whole, merge);
      census.deliver(merge(census::add, replies, outcome));
    } else {
      whole.complete(
          merge(
              (buffer, from, to) -> whole.deliverPart(buffer, from, to, false), replies, outcome));
    }
  }

  private Outcome merge(ReplyMerger.Sink sink, ByteBuf[] replies, Outcome outcome) {
    boolean fine = new ReplyMerger(sink).merge(merge, replies, groupOfKey);
    for (Part part : parts) {
      part.discard();
    }
    if (fine) {
      return Outcome.OK;
    }
    return outcome == Outcome.OK ? Outcome.ERROR : outcome;
  }
}
