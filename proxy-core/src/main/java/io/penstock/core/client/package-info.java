/**
 * What request handlers work with: the client ({@link io.penstock.core.client.Client}), the request
 * that is handled ({@link io.penstock.core.client.IncomingRequest}) and the nodes ({@link
 * io.penstock.core.client.Nodes}). A handler takes what it needs from a {@link
 * io.penstock.core.client.ClientContext} at construction. On the client's event loop.
 */
@NullMarked
package io.penstock.core.client;

import org.jspecify.annotations.NullMarked;
