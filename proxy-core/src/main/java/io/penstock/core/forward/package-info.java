/**
 * Requests that go to nodes: as they are, in parts, or to every shard ({@link
 * io.penstock.core.forward.Forwarder}). Requests enter, exchanges leave to {@code dispatch}; the
 * replies to the parts of a request become one. On the client's event loop.
 */
@NullMarked
package io.penstock.core.forward;

import org.jspecify.annotations.NullMarked;
