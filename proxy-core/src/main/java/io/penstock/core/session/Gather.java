package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.cluster.Node;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Merge;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.ReplyMerger;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

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
   * @return a node that does not keep up, or null
   */
  @Nullable Node send(RequestFrame frame, CommandSpec command, RoutePlan.Split plan) {
    int size = frame.end() - frame.start() + parts.length * (32 + frame.length(0));
    var bytes = new SharedBuffer(ByteBufAllocator.DEFAULT.directBuffer(size));
    int[] sorted = keysByGroup(plan);
    int firstOfGroup = 0;
    for (int group = 0; group < parts.length; group++) {
      int from = bytes.buffer().writerIndex();
      var keys = new KeyRange(sorted, firstOfGroup, plan.keysOfGroup(group));
      encode(bytes.buffer(), frame, plan, keys);
      firstOfGroup += keys.count;
      Part part = new Part(this);
      part.carry(bytes.share(), from, bytes.buffer().writerIndex() - from);
      part.prepare(session, command, plan.slotOfGroup(group));
      parts[group] = part;
    }
    bytes.release();
    Node busy = null;
    for (Part part : parts) {
      if (!session.loop().dispatcher().dispatch(part)) {
        busy = part.sentTo();
      }
    }
    return busy;
  }

  /** One group's keys: {@code count} key numbers of {@code sorted} from {@code from} on. */
  private record KeyRange(int[] sorted, int from, int count) {}

  /** Key numbers, those of group 0 first, each group's in the caller's order. */
  private int[] keysByGroup(RoutePlan.Split plan) {
    int[] next = new int[parts.length];
    for (int group = 1; group < parts.length; group++) {
      next[group] = next[group - 1] + plan.keysOfGroup(group - 1);
    }
    int[] sorted = new int[groupOfKey.length];
    for (int key = 0; key < groupOfKey.length; key++) {
      sorted[next[groupOfKey[key]]++] = key;
    }
    return sorted;
  }

  private static void encode(ByteBuf out, RequestFrame frame, RoutePlan.Split plan, KeyRange keys) {
    int arguments = plan.firstKey() + keys.count * plan.keyStep();
    out.writeByte('*');
    out.writeCharSequence(Integer.toString(arguments), StandardCharsets.US_ASCII);
    out.writeByte('\r').writeByte('\n');
    copyArguments(out, frame, 0, plan.firstKey());
    for (int i = keys.from; i < keys.from + keys.count; i++) {
      int first = plan.firstKey() + keys.sorted[i] * plan.keyStep();
      copyArguments(out, frame, first, plan.keyStep());
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
