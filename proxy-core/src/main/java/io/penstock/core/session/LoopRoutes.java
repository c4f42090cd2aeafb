package io.penstock.core.session;

import io.penstock.core.answer.AnswerLoop;
import io.penstock.core.client.Nodes;
import io.penstock.core.crossslot.CrossSlotLoop;
import io.penstock.core.forward.ForwardLoop;
import io.penstock.core.retry.RetryLoop;
import io.penstock.core.route.CrossSlot;
import io.penstock.core.route.Router;
import io.penstock.core.script.LoopScripts;
import io.penstock.core.subscribe.SubscribeLoop;
import io.penstock.core.transaction.AcrossPartitions;
import org.jspecify.annotations.Nullable;

/**
 * What the handlers of a client are connected to: the nodes of the upstream, and the settings of
 * the listener. A change of either makes new routes. A client changes to them when none of its
 * requests is under way; until then its handlers keep those that they began with. Used on one loop.
 *
 * @param routing how requests reach nodes
 * @param router what becomes of requests
 * @param nodes of the upstream
 * @param scripts that clients of the upstream sent
 * @param retryLoop for retries
 * @param forwardLoop for forwarded requests
 * @param crossSlotLoop for commands over several slots
 * @param subscribeLoop for subscriptions
 * @param answerLoop for Penstock's own answers
 */
record LoopRoutes(
    SessionLoop.Routing routing,
    Router router,
    Nodes nodes,
    LoopScripts scripts,
    RetryLoop retryLoop,
    ForwardLoop forwardLoop,
    CrossSlotLoop crossSlotLoop,
    SubscribeLoop subscribeLoop,
    AnswerLoop answerLoop) {

  /** Returns whether requests reach the Penstock with this id; false for null. */
  boolean leadsTo(@Nullable String penstock) {
    return routing.upstream().chain().leadsTo(penstock);
  }

  /** What transactions over several slots need; null if they are rejected. */
  @Nullable AcrossPartitions acrossPartitions() {
    return crossSlotLoop.settings().mode() == CrossSlot.EMULATE
        ? new AcrossPartitions(router::partitionOf, crossSlotLoop.counts())
        : null;
  }

  /** The database of clients that select none. */
  int database() {
    return routing.upstream().database();
  }

  /** Returns whether commands over several slots are reported. */
  boolean reportsCrossSlot() {
    return crossSlotLoop.settings().mode() == CrossSlot.REPORT;
  }
}
