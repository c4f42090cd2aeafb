package io.penstock.core.forward;

import io.penstock.core.pubsub.Hub;
import io.penstock.core.script.LoopScripts;

/**
 * What sending requests on their way takes from the loop.
 *
 * @param pool of exchanges
 * @param hub where clients listen
 * @param scripts that clients brought
 * @param limit of replies that are put together
 * @param maxBytesOnHeap bytes of a request that may be copied to the heap at once
 */
public record ForwardLoop(
    ForwardedPool pool, Hub hub, LoopScripts scripts, GatherLimit limit, long maxBytesOnHeap) {}
