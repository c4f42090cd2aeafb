package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;

/** A request with many keys becomes one part a slot: encoded anew from the client's bytes. */
final class Division {

  private final RequestFrame frame;
  private final RoutePlan.Split plan;

  /** Both are looked at now only: the next request uses them for itself. */
  Division(RequestFrame frame, RoutePlan.Split plan) {
    this.frame = frame;
    this.plan = plan;
  }

  /** The group of each key in the client's order. */
  int[] groupOfKey() {
    int[] groups = new int[plan.keys()];
    for (int i = 0; i < groups.length; i++) {
      groups[i] = plan.groupOfKey(i);
    }
    return groups;
  }

  /** The parts by group, ready to be sent. */
  Part[] parts(Gather whole, CommandSpec command) {
    Part[] parts = new Part[plan.groups()];
    int size = frame.end() - frame.start() + parts.length * (32 + frame.length(0));
    var bytes = new SharedBuffer(ByteBufAllocator.DEFAULT.directBuffer(size));
    int[] sorted = keysByGroup();
    int firstOfGroup = 0;
    for (int group = 0; group < parts.length; group++) {
      int from = bytes.buffer().writerIndex();
      encode(bytes.buffer(), sorted, firstOfGroup, plan.keysOfGroup(group));
      firstOfGroup += plan.keysOfGroup(group);
      Part part = new Part(whole);
      part.carry(bytes.share(), from, bytes.buffer().writerIndex() - from);
      part.prepare(whole.session(), command, plan.slotOfGroup(group));
      parts[group] = part;
    }
    bytes.release();
    return parts;
  }

  /** Key numbers, those of group 0 first, each group's in the caller's order. */
  private int[] keysByGroup() {
    int[] next = new int[plan.groups()];
    for (int group = 1; group < next.length; group++) {
      next[group] = next[group - 1] + plan.keysOfGroup(group - 1);
    }
    int[] sorted = new int[plan.keys()];
    for (int key = 0; key < sorted.length; key++) {
      sorted[next[plan.groupOfKey(key)]++] = key;
    }
    return sorted;
  }

  /** One group's keys are {@code count} key numbers of {@code sorted} from {@code from} on. */
  private void encode(ByteBuf out, int[] sorted, int from, int count) {
    Header.write(out, '*', plan.firstKey() + (long) count * plan.keyStep());
    copyArguments(out, frame, 0, plan.firstKey());
    for (int i = from; i < from + count; i++) {
      copyArguments(out, frame, plan.firstKey() + sorted[i] * plan.keyStep(), plan.keyStep());
    }
  }

  /**
   * Copies arguments, at least one, as they are encoded, from the first one's length line to the
   * last one's end.
   */
  static void copyArguments(ByteBuf out, RequestFrame frame, int first, int count) {
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
}
