package io.penstock.core.forward;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.IncomingRequest;

/**
 * The request that is sent now, and what notices that nodes do not keep up.
 *
 * @param request that is handled
 * @param backpressure of the client
 */
public record ForwardInput(IncomingRequest request, Backpressure backpressure) {}
