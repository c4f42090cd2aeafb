package io.penstock.core.survey;

import io.penstock.core.upstream.Endpoint;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Asks nodes whether they are there. Called on the topology thread. */
interface Pinger {

  /**
   * Asks one node. Completes on any thread; fails when the node cannot be reached, does not let
   * Penstock in, does not answer in time, or serves nobody yet.
   */
  CompletionStage<?> ping(Endpoint node);

  /** Forgets all others. */
  void keepOnly(Set<Endpoint> nodes);
}
