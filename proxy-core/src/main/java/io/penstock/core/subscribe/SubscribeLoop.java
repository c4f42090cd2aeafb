package io.penstock.core.subscribe;

import io.penstock.core.limit.LoopMemory;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.pubsub.Hub;

/**
 * What subscriptions use of their loop.
 *
 * @param hub for the subscriptions of all clients of the loop
 * @param memory of the clients
 * @param counters of the loop
 */
public record SubscribeLoop(Hub hub, LoopMemory memory, LoopCounters counters) {}
