package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.Node;
import io.penstock.core.command.Merge;
import io.penstock.core.observe.Outcome;
import io.penstock.core.route.ReplyMerger;
import org.jspecify.annotations.Nullable;

/** The parts of a request: sends them at once and answers when the last reply has come. */
final class Gather implements Part.Whole {

  private final Request whole;
  private final Session session;
  private final Merge merge;
  private final int[] detail;
  private Part[] parts = {};
  private int missing;
  private final Gathered held;

  /**
   * Before anything is sent.
   *
   * @param detail as {@link ReplyMerger#merge} takes it
   */
  Gather(Request whole, Merge merge, int[] detail) {
    this.whole = whole;
    this.session = whole.session();
    this.held = new Gathered(session);
    this.merge = merge;
    this.detail = detail;
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

  /** There is a bound for them together: they cannot be given before all are here. */
  @Override
  public boolean holds(int bytes) {
    if (held.overflowsWith(bytes)) {
      letGo();
    }
    return !held.isTooLarge();
  }

  private void letGo() {
    for (Part part : parts) {
      part.discard();
    }
    held.letGo();
  }

  @Override
  public void broke() {
    held.refuse();
    letGo();
  }

  @Override
  public boolean readsFine() {
    return merge != Merge.ALL_OK;
  }

  @Override
  public void partDone() {
    if (--missing > 0) {
      return;
    }
    try {
      answer();
    } catch (Throwable e) { // whoever brought the last part is another's business
      Defect.in(session, e);
    } finally {
      letGo();
    }
  }

  private void answer() {
    if (held.isTooLarge()) {
      whole.deliverError(ErrorReplies.TOO_LARGE, Outcome.ERROR);
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
    if (merge.countsClients()) {
      var census = new Census(whole, merge);
      census.deliver(merge(census::add, replies, outcome));
    } else {
      whole.complete(
          merge(
              (buffer, from, to) -> whole.deliverPart(buffer, from, to, false), replies, outcome));
    }
  }

  private Outcome merge(ReplyMerger.Sink sink, ByteBuf[] replies, Outcome outcome) {
    if (new ReplyMerger(sink).merge(merge, replies, detail)) {
      return Outcome.OK;
    }
    return outcome == Outcome.OK ? Outcome.ERROR : outcome;
  }
}
