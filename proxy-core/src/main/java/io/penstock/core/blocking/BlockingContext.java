package io.penstock.core.blocking;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ClientContext;
import io.penstock.core.mirroring.ClientMirror;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.RetryableErrors;
import org.jspecify.annotations.Nullable;

/**
 * What a client's blocking calls need.
 *
 * @param clientContext of the client
 * @param owner of the client's exchanges
 * @param retryableErrors parses errors of nodes
 * @param backpressure pauses reading from the client if nodes cannot keep up
 * @param mirror of the client's requests; null if the upstream has no copies
 */
public record BlockingContext(
    ClientContext clientContext,
    ExchangeOwner owner,
    RetryableErrors retryableErrors,
    Backpressure backpressure,
    @Nullable ClientMirror mirror) {}
