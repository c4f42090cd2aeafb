package io.penstock.core.crossslot;

import io.penstock.core.client.Backpressure;
import io.penstock.core.forward.ForwardContext;

/**
 * What a client's commands over several slots need.
 *
 * @param forward what their requests are sent with
 * @param loop what the client's loop provides
 * @param backpressure pauses reading from the client if nodes cannot keep up
 */
record CrossSlotContext(ForwardContext forward, CrossSlotLoop loop, Backpressure backpressure) {}
