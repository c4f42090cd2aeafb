package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;

/**
 * Splits a request with many keys into one part per partition, encoded from the client's bytes.
 * Each partition's keys are a group; the keys of a group stay in the client's order.
 */
public final class SplitRequest {

  private final RequestFrame frame;
  private final int firstKey;
  private final int keyStep;
  private final int countAt;
  private final int rest; // arguments behind the keys, which each part gets
  private final int[] groupOfKey;
  private final int[] keysOfGroup;
  private final int[] partitionOfGroup;
  private final int[] sorted; // key indexes, those of group 0 first

  /**
   * Copies what it needs from the plan, which the router reuses.
   *
   * @param frame of the request; read whenever something is encoded
   */
  public SplitRequest(RequestFrame frame, RoutePlan.ReusedSplit plan) {
    this.frame = frame;
    this.firstKey = plan.firstKey();
    this.keyStep = plan.keyStep();
    this.countAt = plan.countAt();
    this.rest = frame.argc() - firstKey - plan.keys() * keyStep;
    this.groupOfKey = new int[plan.keys()];
    for (int i = 0; i < groupOfKey.length; i++) {
      groupOfKey[i] = plan.groupOfKey(i);
    }
    this.keysOfGroup = new int[plan.groups()];
    this.partitionOfGroup = new int[plan.groups()];
    for (int i = 0; i < keysOfGroup.length; i++) {
      keysOfGroup[i] = plan.keysOfGroup(i);
      partitionOfGroup[i] = plan.partitionOfGroup(i);
    }
    this.sorted = keysByGroup();
  }

  private int[] keysByGroup() {
    int[] next = new int[keysOfGroup.length];
    for (int group = 1; group < next.length; group++) {
      next[group] = next[group - 1] + keysOfGroup[group - 1];
    }
    int[] byGroup = new int[groupOfKey.length];
    for (int key = 0; key < byGroup.length; key++) {
      byGroup[next[groupOfKey[key]]++] = key;
    }
    return byGroup;
  }

  /** The group of each key in the client's order. */
  public int[] groupOfKey() {
    return groupOfKey;
  }

  /** The number of parts. */
  public int groups() {
    return keysOfGroup.length;
  }

  public int keysOfGroup(int group) {
    return keysOfGroup[group];
  }

  public int partitionOfGroup(int group) {
    return partitionOfGroup[group];
  }

  /**
   * Writes the part of a group.
   *
   * @param firstKey how many keys the groups before it have
   */
  public void encode(ByteBuf out, int group, int firstKey) {
    encodeHead(out, group);
    encodeKeys(out, firstKey, keysOfGroup[group]);
    encodeRest(out);
  }

  /** Returns the parts by group, ready to be sent. */
  Part[] parts(PartSet whole, CommandSpec command) {
    Part[] parts = new Part[keysOfGroup.length];
    int size = frame.end() - frame.start() + parts.length * (32 + frame.length(0) + restLength());
    var bytes = new SharedBuffer(ByteBufAllocator.DEFAULT.directBuffer(size));
    int key = 0;
    int small = 0; // bytes of small parts
    for (int group = 0; group < parts.length; group++) {
      int from = bytes.buffer().writerIndex();
      encodeHead(bytes.buffer(), group);
      encodeKeys(bytes.buffer(), key, keysOfGroup[group]);
      encodeRest(bytes.buffer());
      key += keysOfGroup[group];
      Part part = new Part(whole);
      int length = bytes.buffer().writerIndex() - from;
      part.setRequestBytes(bytes.share(), from, length);
      small += length < SocketOutput.SLICE_THRESHOLD ? length : 0;
      part.prepare(command, partitionOfGroup[group]);
      parts[group] = part;
    }
    bytes.release();
    if (small >= SocketOutput.SLICE_THRESHOLD) {
      whole.countPartBytes(small);
    }
    return parts;
  }

  /** Writes the array header and the arguments before a group's keys. */
  void encodeHead(ByteBuf out, int group) {
    int keys = keysOfGroup[group];
    Header.write(out, '*', firstKey + (long) keys * keyStep + rest);
    if (countAt == 0) {
      copyArguments(out, frame, 0, firstKey);
    } else { // the number of keys is the argument before them
      copyArguments(out, frame, 0, countAt);
      Header.write(out, '$', headerLength(keys) - 3);
      Header.writeLine(out, keys);
    }
  }

  /** Writes the arguments after the keys. */
  void encodeRest(ByteBuf out) {
    if (rest > 0) {
      copyArguments(out, frame, frame.argc() - rest, rest);
    }
  }

  private int restLength() {
    return rest == 0 ? 0 : frame.end() - frame.offset(frame.argc() - rest) + 8;
  }

  /** Writes {@code count} keys in the order of the groups, from index {@code from} on. */
  void encodeKeys(ByteBuf out, int from, int count) {
    for (int i = from; i < from + count; i++) {
      copyArguments(out, frame, firstKey + sorted[i] * keyStep, keyStep);
    }
  }

  /**
   * Copies encoded arguments, at least one: from the first one's length line to the last one's end.
   */
  static void copyArguments(ByteBuf out, RequestFrame frame, int first, int count) {
    int from = frame.offset(first) - headerLength(frame.length(first));
    int last = first + count - 1;
    out.writeBytes(frame.buffer(), from, frame.offset(last) + frame.length(last) + 2 - from);
  }

  /** Returns the length of {@code $n\r\n}. */
  private static int headerLength(int n) {
    int digits = 1;
    for (int rest = n; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits + 3;
  }
}
