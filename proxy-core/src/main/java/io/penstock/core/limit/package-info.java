/**
 * The limits for one client and for all clients: memory, unread replies, and timeouts. Code that
 * keeps bytes for a client reports them to an {@link io.penstock.core.limit.Allowance}, which
 * closes the client if it exceeds a limit. On the client's event loop; the sums over all loops may
 * be read on any thread.
 */
@NullMarked
package io.penstock.core.limit;

import org.jspecify.annotations.NullMarked;
