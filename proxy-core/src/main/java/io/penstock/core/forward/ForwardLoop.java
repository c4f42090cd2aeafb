package io.penstock.core.forward;

import io.penstock.core.pubsub.Hub;
import io.penstock.core.script.LoopScripts;
import io.penstock.core.shadow.ShadowLink;

/**
 * What a loop provides for forwarding requests.
 *
 * @param pool of exchanges
 * @param hub of the clients' subscriptions
 * @param scripts that clients sent
 * @param limit on gathered replies
 * @param maxBytesOnHeap bytes of a request that may be copied to the heap at once
 * @param shadow where a share of the reads goes too
 */
public record ForwardLoop(
    ForwardedPool pool,
    Hub hub,
    LoopScripts scripts,
    GatherLimit limit,
    long maxBytesOnHeap,
    ShadowLink shadow) {}
