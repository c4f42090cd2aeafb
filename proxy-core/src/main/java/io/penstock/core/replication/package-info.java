/**
 * {@code WAIT} and {@code WAITAOF}: each shard's master is queried over a leased connection for the
 * progress of its replicas. On the client's event loop.
 */
@NullMarked
package io.penstock.core.replication;

import org.jspecify.annotations.NullMarked;
