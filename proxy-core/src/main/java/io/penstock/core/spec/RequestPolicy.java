package io.penstock.core.spec;

/** The nodes of a cluster that a command goes to: its tip {@code request_policy}. */
public enum RequestPolicy {
  /** No tip: by the command's keys, or without keys to any one shard. */
  DEFAULT,
  /** To every node, replicas too. */
  ALL_NODES,
  /** To every master. */
  ALL_SHARDS,
  /** Split over the shards of its keys. */
  MULTI_SHARD,
  /** By special rules. */
  SPECIAL
}
