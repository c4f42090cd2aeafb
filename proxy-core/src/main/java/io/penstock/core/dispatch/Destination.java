package io.penstock.core.dispatch;

/** Which node an exchange is for. */
public enum Destination {
  /** The node that serves a partition. */
  PARTITION,
  /** Any node: all can serve it. */
  ANY_NODE,
  /** The master of one shard, regardless of its partitions. */
  SHARD
}
