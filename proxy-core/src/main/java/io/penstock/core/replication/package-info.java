/**
 * {@code WAIT} and {@code WAITAOF}: each shard's master is asked over a connection of its own how
 * far its replicas are. On the client's event loop.
 */
@NullMarked
package io.penstock.core.replication;

import org.jspecify.annotations.NullMarked;
