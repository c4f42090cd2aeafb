package io.penstock.core.sentinel;

import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.CompletionStage;

/** Queries sentinels and nodes, and listens to sentinels. All stages complete on any thread. */
interface SentinelSource {

  /** What a node says that it is. */
  enum Role {
    MASTER,
    REPLICA,
    SENTINEL,
    /** Penstock's user has no permission to ask. */
    UNKNOWN
  }

  /** A subscription to the messages of one sentinel. */
  interface Subscription {

    /** Completes when the sentinel has answered a {@code PING}; fails if it does not in time. */
    CompletionStage<?> ping();

    void close();
  }

  /** Asks one sentinel for its view. Fails within a few times the connect timeout. */
  CompletionStage<SentinelView> query(Endpoint sentinel);

  /** Asks a node for its role. Fails within a few times the connect timeout. */
  CompletionStage<Role> role(Endpoint node);

  /**
   * Subscribes to the messages of one sentinel.
   *
   * @param onMessage runs on any thread for each message about the master or its replicas
   */
  CompletionStage<Subscription> subscribe(Endpoint sentinel, Runnable onMessage);
}
