package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Merge;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.ReplyMerger;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;

/** A request divided by slot: sends its parts at once and answers when the last reply has come. */
final class Gather {

  private final Request whole;
  private final Session session;
  private final Merge merge;
  private final Part[] parts;
  private final int[] groupOfKey;
  private int missing;

  Gather(Request whole, Session session, RoutePlan.Split plan) {
    this.whole = whole;
    this.session = session;
    this.merge = plan.merge();
    this.parts = new Part[plan.groups()];
    this.groupOfKey = new int[plan.keys()];
    for (int i = 0; i < groupOfKey.length; i++) {
      groupOfKey[i] = plan.groupOfKey(i);
    }
    this.missing = parts.length;
  }

  Session session() {
    return session;
  }

  /**
   * Encodes and sends the parts.
   *
   * @return false when a node does not keep up
   */
  boolean send(RequestFrame frame, CommandSpec command, RoutePlan.Split plan) {
    int size = frame.end() - frame.start() + parts.length * (32 + frame.length(0));
    var bytes = new SharedBuffer(ByteBufAllocator.DEFAULT.directBuffer(size));
    for (int group = 0; group < parts.length; group++) {
      int from = bytes.buffer().writerIndex();
      encode(bytes.buffer(), frame, plan, group);
      Part part = new Part(this);
      part.carry(bytes.share(), from, bytes.buffer().writerIndex() - from);
      part.prepare(session, command, plan.slotOfGroup(group));
      parts[group] = part;
    }
    bytes.release();
    boolean writable = true;
    for (Part part : parts) {
      writable &= session.loop().dispatcher().dispatch(part);
    }
    return writable;
  }

  private static void encode(ByteBuf out, RequestFrame frame, RoutePlan.Split plan, int group) {
    int arguments = plan.firstKey() + plan.keysOfGroup(group) * plan.keyStep();
    out.writeByte('*');
    out.writeCharSequence(Integer.toString(arguments), StandardCharsets.US_ASCII);
    out.writeByte('\r').writeByte('\n');
    copyArguments(out, frame, 0, plan.firstKey());
    for (int key = 0; key < plan.keys(); key++) {
      if (plan.groupOfKey(key) == group) {
        copyArguments(out, frame, plan.firstKey() + key * plan.keyStep(), plan.keyStep());
      }
    }
  }

  /**
   * Copies arguments as they are encoded, from the first one's length line to the last one's end.
   */
  private static void copyArguments(ByteBuf out, RequestFrame frame, int first, int count) {
    int from = frame.offset(first) - headerLength(frame.length(first));
    int last = first + count - 1;
    out.writeBytes(frame.buffer(), from, frame.offset(last) + frame.length(last) + 2 - from);
  }

  /** Length of {@code $n\r\n}. */
  private static int headerLength(int n) {
    int digits = 1;
    for (int rest = n; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits + 3;
  }

  void partDone() {
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
    var merger = new ReplyMerger((buffer, from, to) -> whole.deliverPart(buffer, from, to, false));
    boolean fine = merger.merge(merge, replies, groupOfKey);
    for (Part part : parts) {
      part.discard();
    }
    whole.complete(fine || outcome != Outcome.OK ? outcome : Outcome.ERROR);
  }
}
