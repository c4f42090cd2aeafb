package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.CompletionStage;

/** Asks nodes how they see their cluster. */
interface ViewSource {

  /**
   * Asks one node. Completes on any thread; fails within a few times the connect timeout when the
   * node does not answer.
   */
  CompletionStage<ClusterView> query(Endpoint node);
}
