/**
 * A client's exchanges until they have run or may not run any more. Retryable errors ({@link
 * io.penstock.core.retry.RetryableErrors} parses them for every handler) and failures enter; {@link
 * io.penstock.core.retry.Retries} sends the requests again in the order in which the client sent
 * them, which {@link io.penstock.core.retry.OrderGuard} keeps. On the client's event loop.
 */
@NullMarked
package io.penstock.core.retry;

import org.jspecify.annotations.NullMarked;
