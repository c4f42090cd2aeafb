package io.penstock.core.subscribe;

import io.penstock.core.limit.LoopMemory;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.pubsub.Hub;

/**
 * What subscriptions take from the loop.
 *
 * @param hub where clients listen
 * @param memory that clients keep
 * @param counters of the loop
 */
public record SubscribeSite(Hub hub, LoopMemory memory, LoopCounters counters) {}
