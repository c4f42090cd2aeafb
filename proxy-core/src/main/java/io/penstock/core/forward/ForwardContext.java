package io.penstock.core.forward;

import io.penstock.core.client.ClientContext;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.OrderGuard;

/**
 * What a request that is sent in parts, or waits before it is sent, is made with.
 *
 * @param clientContext of the client
 * @param owner of the client's exchanges
 * @param order of the client's requests
 * @param forwardLoop of the loop
 */
public record ForwardContext(
    ClientContext clientContext, ExchangeOwner owner, OrderGuard order, ForwardLoop forwardLoop) {}
