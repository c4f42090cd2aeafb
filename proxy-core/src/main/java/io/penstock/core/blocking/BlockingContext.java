package io.penstock.core.blocking;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ClientContext;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.RetryableErrors;

/**
 * What calls that a client waits in are made with.
 *
 * @param clientContext of the client
 * @param owner of its exchanges
 * @param retryableErrors reads the nodes' errors
 * @param backpressure of the client
 */
public record BlockingContext(
    ClientContext clientContext,
    ExchangeOwner owner,
    RetryableErrors retryableErrors,
    Backpressure backpressure) {}
