package io.penstock.core.cluster;

import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.RetryablePrefix;

/** The actions for error replies of the nodes of a Redis Cluster. */
public final class ClusterErrorPolicy implements ErrorPolicy {

  @Override
  public ErrorAction actionFor(RetryablePrefix prefix, Scope scope) {
    return switch (scope) {
      case KEYS -> ofKeys(prefix);
      case SHARD -> ofShard(prefix);
      case MASTER -> ErrorPolicy.masterAction(prefix);
    };
  }

  private static ErrorAction ofKeys(RetryablePrefix prefix) {
    return switch (prefix) {
      case MOVED, ASK -> ErrorAction.REDIRECT;
      case TRYAGAIN, CLUSTERDOWN, LOADING -> ErrorAction.RETRY;
      case READONLY, MASTERDOWN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }

  /**
   * Without a key a node cannot redirect; {@code READONLY} and {@code MASTERDOWN} mean that it has
   * become a replica.
   */
  private static ErrorAction ofShard(RetryablePrefix prefix) {
    return switch (prefix) {
      case READONLY, MASTERDOWN -> ErrorAction.FIND_MASTER;
      case CLUSTERDOWN, LOADING -> ErrorAction.RETRY;
      case MOVED, ASK, TRYAGAIN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }
}
