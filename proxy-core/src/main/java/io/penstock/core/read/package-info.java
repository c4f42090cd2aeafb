/**
 * Where one client's requests go when its upstream is also read from replicas. Enters: each request
 * that is about to be sent, with its partition. Leaves: whether it must wait for earlier ones, and
 * the node to read from. On the client's event loop. A client of an upstream that reads from
 * masters only has no object of this package.
 *
 * <p>{@link io.penstock.core.read.ReadRoutes} knows, for each partition, what is unanswered where,
 * when the client last wrote, and which replica the client reads from.
 */
@NullMarked
package io.penstock.core.read;

import org.jspecify.annotations.NullMarked;
