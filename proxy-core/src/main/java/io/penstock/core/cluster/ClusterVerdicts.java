package io.penstock.core.cluster;

import io.penstock.core.upstream.Redirection;
import io.penstock.core.upstream.Verdict;
import io.penstock.core.upstream.Verdicts;

/** What the error replies of a Redis Cluster's nodes mean. */
public final class ClusterVerdicts implements Verdicts {

  @Override
  public Verdict of(Redirection word, Asked asked) {
    return switch (asked) {
      case KEYS -> ofKeys(word);
      case SHARD -> ofShard(word);
      case MASTER -> Verdicts.ofMaster(word);
    };
  }

  private static Verdict ofKeys(Redirection word) {
    return switch (word) {
      case MOVED, ASK -> Verdict.REDIRECT;
      case TRYAGAIN, CLUSTERDOWN, LOADING -> Verdict.SEND_AGAIN;
      case READONLY, MASTERDOWN, NOSCRIPT -> Verdict.DELIVER;
    };
  }

  /** Without a key a node cannot redirect; these say that it has become a replica. */
  private static Verdict ofShard(Redirection word) {
    return switch (word) {
      case READONLY, MASTERDOWN -> Verdict.FIND_MASTER;
      case CLUSTERDOWN, LOADING -> Verdict.SEND_AGAIN;
      case MOVED, ASK, TRYAGAIN, NOSCRIPT -> Verdict.DELIVER;
    };
  }
}
