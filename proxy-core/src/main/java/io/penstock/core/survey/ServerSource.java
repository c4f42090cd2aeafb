package io.penstock.core.survey;

import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks nodes about themselves. */
interface ServerSource {

  /**
   * Asks one node. Completes on any thread; fails within a few times the connect timeout when the
   * node does not answer.
   *
   * @param before what the node said last, or null; its commands are not read again while they are
   *     the same
   */
  CompletionStage<ServerReport> query(Endpoint node, @Nullable ServerReport before);
}
