package io.penstock.core.forward;

import io.penstock.core.client.ClientContext;
import io.penstock.core.mirroring.ClientMirror;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.OrderGuard;
import org.jspecify.annotations.Nullable;

/**
 * What a client's forwarded requests need.
 *
 * @param clientContext of the client
 * @param owner of the client's exchanges
 * @param order of the client's requests
 * @param forwardLoop what the client's loop provides
 * @param mirror of the client's requests; null if the upstream has no copies
 */
public record ForwardContext(
    ClientContext clientContext,
    ExchangeOwner owner,
    OrderGuard order,
    ForwardLoop forwardLoop,
    @Nullable ClientMirror mirror) {}
