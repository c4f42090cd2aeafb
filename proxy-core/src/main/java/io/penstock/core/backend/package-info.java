/**
 * One connection to a node, and the requests on it.
 *
 * <p>{@link io.penstock.core.backend.Exchange}s enter in the order they are sent. Each ends with
 * exactly one of its callbacks, in the order of the node's replies, on the same loop. This package
 * does not interpret placements or redirects: an exchange carries its destination, which
 * dispatchers read, and an error reply is a reply like any other. Of a client it knows only whether
 * it is still connected. The package {@code node} decides when a connection opens and closes.
 */
@NullMarked
package io.penstock.core.backend;

import org.jspecify.annotations.NullMarked;
