package io.penstock.core.sentinel;

import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.RetryablePrefix;

/**
 * The actions for error replies of the nodes behind sentinels. {@code READONLY} and {@code
 * MASTERDOWN} are the replies of a master that has become a replica: the command did not run.
 */
public final class SentinelErrorPolicy implements ErrorPolicy {

  @Override
  public ErrorAction actionFor(RetryablePrefix prefix, Scope scope) {
    return switch (scope) {
      case KEYS, SHARD -> ofData(prefix);
      case MASTER -> ErrorPolicy.masterAction(prefix);
    };
  }

  /** A redirect comes from a node of a cluster, which the survey reports. */
  private static ErrorAction ofData(RetryablePrefix prefix) {
    return switch (prefix) {
      case READONLY, MASTERDOWN -> ErrorAction.FIND_MASTER;
      case LOADING -> ErrorAction.RETRY;
      case MOVED, ASK, TRYAGAIN, CLUSTERDOWN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }
}
