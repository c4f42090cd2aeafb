/**
 * What one client, and all of them, may take: bytes that are kept for clients, replies that they
 * have not read, and for how long they may keep Penstock waiting. Code that keeps bytes for a
 * client tells an {@link io.penstock.core.limit.Allowance} so, which closes the client that takes
 * too much. On the client's event loop; the sums over all loops are for any thread.
 */
@NullMarked
package io.penstock.core.limit;

import org.jspecify.annotations.NullMarked;
