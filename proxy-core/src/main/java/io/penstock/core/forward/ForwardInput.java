package io.penstock.core.forward;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.IncomingRequest;

/**
 * The request that is forwarded now, and the backpressure of its client.
 *
 * @param request that is handled
 * @param backpressure pauses reading from the client if nodes cannot keep up
 */
public record ForwardInput(IncomingRequest request, Backpressure backpressure) {}
