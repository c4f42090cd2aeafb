/**
 * A client's exchanges until they have run or may run no more. Replies enter that mean "it did not
 * run" ({@link io.penstock.core.retry.RetryableErrors} reads them for every handler), and failures;
 * {@link io.penstock.core.retry.Retries} sends again, in the order of the client's requests, which
 * {@link io.penstock.core.retry.OrderGuard} keeps. On the client's event loop.
 */
@NullMarked
package io.penstock.core.retry;

import org.jspecify.annotations.NullMarked;
