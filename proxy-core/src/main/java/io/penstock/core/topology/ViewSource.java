package io.penstock.core.topology;

import io.penstock.core.cluster.Node;
import java.util.concurrent.CompletionStage;

/** Asks nodes how they see their cluster. */
interface ViewSource {

  /**
   * Connects, authenticates, asks and disconnects. The name is resolved anew each time. Completes
   * on any thread; fails within a few times the connect timeout when the node does not answer.
   */
  CompletionStage<ClusterView> ask(Node node);

  /** Ends its connections and threads; completes within a few seconds. */
  CompletionStage<Void> close();
}
