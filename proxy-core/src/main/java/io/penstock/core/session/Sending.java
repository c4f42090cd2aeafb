package io.penstock.core.session;

/**
 * The request that is sent now, and what notices that nodes do not keep up.
 *
 * @param request that is handled
 * @param backpressure of the client
 */
record Sending(Incoming request, Backpressure backpressure) {}
