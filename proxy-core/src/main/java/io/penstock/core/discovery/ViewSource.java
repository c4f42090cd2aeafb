package io.penstock.core.discovery;

import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.CompletionStage;

/** Queries nodes for their view of the cluster. */
interface ViewSource {

  /**
   * Queries one node. Completes on any thread. Fails within a few times the connect timeout if the
   * node does not answer.
   */
  CompletionStage<ClusterView> query(Endpoint node);
}
