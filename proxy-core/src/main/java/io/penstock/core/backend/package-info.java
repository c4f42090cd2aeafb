/**
 * One event loop's connections to the nodes.
 *
 * <p>{@link io.penstock.core.backend.Exchange}s enter in the order they are sent. Each ends with
 * exactly one of its callbacks, in the order of the node's replies, on the same loop. This package
 * knows nothing about placements, clients or redirects: an exchange has a destination, which
 * dispatchers read, and an error reply is a reply like any other.
 */
@NullMarked
package io.penstock.core.backend;

import org.jspecify.annotations.NullMarked;
