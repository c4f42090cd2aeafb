package io.penstock.core.upstream;

/** What the error replies of an upstream's servers mean. A value: safe from any thread. */
@FunctionalInterface
public interface ErrorPolicy {

  /** What a server was asked for, since the same words mean different things. */
  enum Scope {
    /** A command with keys of one partition, or with none. */
    KEYS,
    /** A command about all keys of a shard, which cannot be redirected. */
    SHARD,
    /** Something that only a master can tell about its own replication. */
    MASTER
  }

  /** The meaning of an error reply that begins with {@code word}. */
  ErrorAction actionFor(RetryablePrefix word, Scope scope);

  /** Those of a server that is not part of a cluster. */
  ErrorPolicy SINGLE =
      (word, scope) ->
          switch (scope) {
            case KEYS, SHARD ->
                word == RetryablePrefix.LOADING ? ErrorAction.RETRY : ErrorAction.DELIVER;
            case MASTER -> masterAction(word);
          };

  /** Those of what was asked as a master: whatever the upstream, these say that it is none. */
  static ErrorAction masterAction(RetryablePrefix word) {
    return switch (word) {
      case READONLY, MASTERDOWN, LOADING, CLUSTERDOWN -> ErrorAction.FIND_MASTER;
      case MOVED, ASK, TRYAGAIN, NOSCRIPT -> ErrorAction.DELIVER;
    };
  }
}
