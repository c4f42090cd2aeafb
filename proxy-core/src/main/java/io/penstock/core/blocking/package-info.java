/**
 * Calls that a client waits in, such as {@code BLPOP}: they are tried without blocking, then block
 * on a connection of their own, and end when the client goes away. On the client's event loop.
 */
@NullMarked
package io.penstock.core.blocking;

import org.jspecify.annotations.NullMarked;
