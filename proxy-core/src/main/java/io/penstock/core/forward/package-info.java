/**
 * Requests that go to nodes: unchanged, split, or to every shard ({@link
 * io.penstock.core.forward.Forwarder}). Requests enter, exchanges leave to {@code dispatch}; the
 * replies to the parts of a request are merged into one. On the client's event loop.
 */
@NullMarked
package io.penstock.core.forward;

import org.jspecify.annotations.NullMarked;
