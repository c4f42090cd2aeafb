package io.penstock.core.replicas;

import io.penstock.core.upstream.Endpoint;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Queries nodes about their replication. Called on the topology thread. */
interface ReplicationSource {

  /**
   * Queries one node. Completes on any thread. Fails if the node cannot be reached, rejects the
   * query, or does not answer within the timeout of the control plane.
   */
  CompletionStage<ReplicationReport> query(Endpoint node);

  /** Forgets all other nodes. */
  void keepOnly(Set<Endpoint> nodes);
}
