package io.penstock.core.route;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.command.Merge;

/** What is to be done with one command. */
public sealed interface RoutePlan {

  /**
   * As it is, to the node of one partition; one object per partition exists, so that routing makes
   * none.
   */
  sealed interface OnePartition extends RoutePlan {
    /** The partition: in a cluster a slot. */
    int partition();
  }

  /** With a key of that partition, or none. */
  record Single(int partition) implements OnePartition {}

  /** As it is, to any node: all can serve it. */
  record AnyNode() implements RoutePlan {}

  /** With several keys, all of that partition: a node that migrates it may refuse them together. */
  record Several(int partition) implements OnePartition {}

  /**
   * A message, as it is, to the node that listens for its channel.
   *
   * @param sharded whether it stays in the shard of the partition
   */
  record Publish(int partition, boolean sharded) implements RoutePlan {}

  /** To the node of one partition, which is to watch keys for this client. */
  public record Watch(int partition) implements RoutePlan {}

  /**
   * To the node of one partition, where it may block.
   *
   * @param timeoutAt argument index of the longest time
   * @param millis whether that is in milliseconds, and not in seconds
   */
  record Blocking(int partition, int timeoutAt, boolean millis) implements RoutePlan {}

  /** Divided by partition. The router's own scratch: valid until its next call. */
  final class Split implements RoutePlan {

    /** Of more keys nothing is kept for the next request. */
    private static final int KEPT = 16 * 1024;

    private final int partitions;
    private Merge merge = Merge.SUM;
    private int firstKey;
    private int keyStep;
    private int keys;
    private int groups;
    int[] groupOfKey = new int[16];
    int[] partitionOfGroup = new int[16];
    int[] keysOfGroup = new int[16];

    /**
     * @param partitions that keys may belong to
     */
    Split(int partitions) {
      this.partitions = partitions;
    }

    public void begin(Merge how, int first, int step, int count) {
      merge = how;
      firstKey = first;
      keyStep = step;
      keys = count;
      groups = 0;
      if (groupOfKey.length < count || groupOfKey.length > KEPT) {
        groupOfKey = new int[Math.max(16, count)];
        partitionOfGroup = new int[Math.min(groupOfKey.length, partitions)];
        keysOfGroup = new int[partitionOfGroup.length];
      }
    }

    int addGroup(int partition) {
      partitionOfGroup[groups] = partition;
      keysOfGroup[groups] = 0;
      return groups++;
    }

    public Merge merge() {
      return merge;
    }

    /** Argument index of the first key. */
    public int firstKey() {
      return firstKey;
    }

    /** Arguments per key, the key included. */
    public int keyStep() {
      return keyStep;
    }

    public int keys() {
      return keys;
    }

    public int groups() {
      return groups;
    }

    /** The group that key {@code i}, counted from 0, belongs to. */
    public int groupOfKey(int i) {
      return groupOfKey[i];
    }

    public int partitionOfGroup(int group) {
      return partitionOfGroup[group];
    }

    public int keysOfGroup(int group) {
      return keysOfGroup[group];
    }
  }

  /**
   * As it is, to the master of every shard; one object per command exists.
   *
   * @param separateConnection over connections that carry nothing else
   */
  record Broadcast(Merge merge, boolean separateConnection) implements RoutePlan {}

  /**
   * With a script that other nodes may be asked for.
   *
   * @param multiKey as in {@link Several}
   */
  record Script(int partition, boolean multiKey) implements RoutePlan {}

  /** A call of {@code SCAN}: to the shard that its cursor says. */
  record Scan() implements RoutePlan {}

  /** Answered by Penstock itself. */
  record Local(CommandSpec spec, LocalCommand command) implements RoutePlan {}

  /**
   * Refused.
   *
   * @param error the error line without its leading {@code -} and line end
   */
  record Reject(String error) implements RoutePlan {}
}
