package io.penstock.core.survey;

import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Queries nodes for their version and commands. */
interface ServerSource {

  /**
   * Queries one node. Completes on any thread. Fails within a few times the connect timeout if the
   * node does not answer.
   *
   * @param before the node's last report, or null; its commands are not queried again while they
   *     have not changed
   */
  CompletionStage<ServerReport> query(Endpoint node, @Nullable ServerReport before);
}
