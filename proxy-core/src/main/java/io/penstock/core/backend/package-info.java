/**
 * One connection to a node, and the requests on it.
 *
 * <p>{@link io.penstock.core.backend.Exchange}s enter in the order they are sent. Each ends with
 * exactly one of its callbacks, in the order of the node's replies, on the same loop. This package
 * knows no placements and no redirects: an exchange is sent over the connection that it is given
 * to, and an error reply is a reply like any other. The package {@code node} decides when a
 * connection opens and closes.
 */
@NullMarked
package io.penstock.core.backend;

import org.jspecify.annotations.NullMarked;
