package io.penstock.core.spec;

/** To which nodes of a cluster a command goes, as its tip {@code request_policy} says. */
public enum RequestPolicy {
  /** No tip: by its keys, or without keys to any one shard. */
  DEFAULT,
  /** To every node, replicas too. */
  ALL_NODES,
  /** To every master. */
  ALL_SHARDS,
  /** Split over the shards of its keys. */
  MULTI_SHARD,
  /** By rules of its own. */
  SPECIAL
}
