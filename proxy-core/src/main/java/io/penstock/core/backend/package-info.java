/**
 * One event loop's connections to the nodes.
 *
 * <p>{@link io.penstock.core.backend.Exchange}s enter in the order they are to be sent; each leaves
 * by exactly one of its callbacks, in the order of the node's replies, on the same loop. Nothing
 * here knows which node serves what, clients or redirects: an exchange carries its destination,
 * which dispatchers read, and an error reply is a reply like any other.
 */
@NullMarked
package io.penstock.core.backend;

import org.jspecify.annotations.NullMarked;
