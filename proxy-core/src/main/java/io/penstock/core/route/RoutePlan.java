package io.penstock.core.route;

import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.Merge;

/** What to do with one command. Immutable, except for {@link ReusedSplit}. */
public sealed interface RoutePlan {

  /**
   * Forward it unchanged to the node of one partition. One object per partition exists, so that
   * routing allocates none.
   */
  sealed interface OnePartition extends RoutePlan {
    /** The partition: in a cluster a slot. */
    int partition();
  }

  /** With a key of that partition, or without keys. */
  record Single(int partition) implements OnePartition {}

  /** Forward it unchanged to any node: all can serve it. */
  record AnyNode() implements RoutePlan {}

  /**
   * With several keys, all of that partition. A node that migrates the partition may reject the
   * command with {@code TRYAGAIN}.
   */
  record MultiKey(int partition) implements OnePartition {}

  /**
   * Publish a message: forward it unchanged to the node that serves its channel.
   *
   * @param sharded whether it stays in the shard of the partition
   */
  record Publish(int partition, boolean sharded) implements RoutePlan {}

  /**
   * Send it to the node of its keys, which watches them for this client.
   *
   * @param partition of the keys, or {@link #SEVERAL}
   */
  public record Watch(int partition) implements RoutePlan {

    /** The keys are in several partitions, whose nodes each watch some. */
    public static final int SEVERAL = -1;
  }

  /**
   * Send it to the node of one partition, where it may block.
   *
   * @param timeoutAt argument index of the timeout
   * @param millis whether the timeout is in milliseconds instead of seconds
   */
  record Blocking(int partition, int timeoutAt, boolean millis) implements RoutePlan {}

  /**
   * Split it by partition. Mutable: a router has one, which it overwrites with its next call, so
   * that routing allocates nothing. A request that takes longer copies what it needs.
   */
  final class ReusedSplit implements RoutePlan {

    /** Arrays for more keys are not kept for the next request. */
    private static final int KEPT = 16 * 1024;

    private final int partitions;
    private Merge merge = Merge.SUM;
    private int firstKey;
    private int keyStep;
    private int countAt;
    private int keys;
    private int groups;
    int[] groupOfKey = new int[16];
    int[] partitionOfGroup = new int[16];
    int[] keysOfGroup = new int[16];

    /**
     * @param partitions that keys may belong to
     */
    ReusedSplit(int partitions) {
      this.partitions = partitions;
    }

    /** Overwrites the plan with one of {@code count} keys, which have no groups yet. */
    void begin(Handling.Split how, int count) {
      merge = how.merge();
      firstKey = how.firstKey();
      keyStep = how.keyStep();
      countAt = how.countAt();
      keys = count;
      groups = 0;
      if (groupOfKey.length < count || groupOfKey.length > KEPT) {
        groupOfKey = new int[Math.max(16, count)];
        partitionOfGroup = new int[Math.min(groupOfKey.length, partitions)];
        keysOfGroup = new int[partitionOfGroup.length];
      }
    }

    /** Adds a group without keys. Returns its index. */
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

    /** Arguments per key, including the key. */
    public int keyStep() {
      return keyStep;
    }

    /** Argument index of the number of keys, before the first one; 0 if there is none. */
    public int countAt() {
      return countAt;
    }

    public int keys() {
      return keys;
    }

    public int groups() {
      return groups;
    }

    /** The group of key {@code i}, counted from 0. */
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
   * Send it unchanged to the master of every shard. One object per command exists.
   *
   * @param separateConnection whether over connections that carry nothing else
   */
  record Broadcast(Merge merge, boolean separateConnection) implements RoutePlan {}

  /**
   * Forward it, with a script that other nodes may need later.
   *
   * @param multiKey as in {@link MultiKey}
   */
  record Script(int partition, boolean multiKey) implements RoutePlan {}

  /** Send a {@code SCAN} call to the shard that its cursor names. */
  record Scan() implements RoutePlan {}

  /** Carry it out in steps: its keys are in several partitions. */
  record Across() implements RoutePlan {}

  /** Answer it in Penstock. */
  record Local(CommandSpec spec, LocalCommand command) implements RoutePlan {}

  /**
   * Reject it.
   *
   * @param error the error line without its leading {@code -} and line end
   * @param reported whether it is to be reported as one that {@link Across} could carry out
   */
  record Reject(String error, boolean reported) implements RoutePlan {

    Reject(String error) {
      this(error, false);
    }
  }
}
