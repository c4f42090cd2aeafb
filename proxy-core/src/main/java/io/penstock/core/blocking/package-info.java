/**
 * Calls that a client waits in, such as {@code BLPOP}: they are tried without blocking, then block
 * on a leased connection, and end when the client disconnects. On the client's event loop.
 */
@NullMarked
package io.penstock.core.blocking;

import org.jspecify.annotations.NullMarked;
