package io.penstock.core.cluster;

import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.RetryablePrefix;

/** What the error replies of a Redis Cluster's nodes mean. */
public final class ClusterErrorPolicy implements ErrorPolicy {

  @Override
  public ErrorAction actionFor(RetryablePrefix word, Scope scope) {
    return switch (scope) {
      case KEYS -> ofKeys(word);
      case SHARD -> ofShard(word);
      case MASTER -> ErrorPolicy.masterAction(word);
    };
  }

  private static ErrorAction ofKeys(RetryablePrefix word) {
    return switch (word) {
      case MOVED, ASK -> ErrorAction.REDIRECT;
      case TRYAGAIN, CLUSTERDOWN, LOADING -> ErrorAction.RETRY;
      case READONLY, MASTERDOWN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }

  /** Without a key a node cannot redirect; {@code READONLY} and {@code MASTERDOWN} mean that it has become a replica. */
  private static ErrorAction ofShard(RetryablePrefix word) {
    return switch (word) {
      case READONLY, MASTERDOWN -> ErrorAction.FIND_MASTER;
      case CLUSTERDOWN, LOADING -> ErrorAction.RETRY;
      case MOVED, ASK, TRYAGAIN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }
}
