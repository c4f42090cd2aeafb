package io.penstock.core.control;

import io.penstock.core.upstream.Endpoint;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Checks whether nodes answer. Called on the topology thread. */
public interface Pinger {

  /**
   * Sends a {@code PING} to one node. Completes on any thread. Fails if the node cannot be reached,
   * rejects the credentials, does not answer in time, or is still loading its data.
   */
  CompletionStage<?> ping(Endpoint node);

  /**
   * Asks a node of a Redis Cluster whether it serves its slots. Completes on any thread: empty if
   * it does or does not tell, else with the reason, which begins as its error replies do. Fails if
   * the node does not answer.
   */
  CompletionStage<Optional<String>> clusterFailure(Endpoint node);

  /** Forgets all other nodes. */
  void keepOnly(Set<Endpoint> nodes);
}
