package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/** What the error replies of an upstream's nodes mean. Stateless, safe from any thread. */
@FunctionalInterface
public interface ErrorPolicy {

  /** What the command was about: the same error means different things. */
  enum Scope {
    /** A command with keys of one partition, or with none. */
    KEYS,
    /** A command about all keys of a shard, which a node cannot redirect. */
    SHARD,
    /** A query about a master's own replication, which only a master can answer. */
    MASTER
  }

  /** Returns what to do with an error reply that begins with {@code prefix}. */
  ErrorAction actionFor(RetryablePrefix prefix, Scope scope);

  /**
   * Returns the policy for the replies of one node: another one only if the upstream combines nodes
   * of several kinds.
   *
   * @param node null if unknown
   */
  default ErrorPolicy of(@Nullable Endpoint node) {
    return this;
  }

  /** Returns the partition of the upstream that a redirect means by a slot. */
  default int partitionOf(int slot) {
    return slot;
  }

  /** The policy for a server that is not part of a cluster. */
  ErrorPolicy SINGLE =
      (prefix, scope) ->
          switch (scope) {
            case KEYS, SHARD ->
                prefix == RetryablePrefix.LOADING ? ErrorAction.RETRY : ErrorAction.DELIVER;
            case MASTER -> masterAction(prefix);
          };

  /**
   * Returns the action for {@link Scope#MASTER}, which is the same for every upstream: some
   * prefixes mean that the node is no master.
   */
  static ErrorAction masterAction(RetryablePrefix prefix) {
    return switch (prefix) {
      case READONLY, MASTERDOWN, LOADING, CLUSTERDOWN -> ErrorAction.FIND_MASTER;
      case MOVED, ASK, TRYAGAIN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }
}
