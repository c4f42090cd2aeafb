/**
 * The output of sockets, which is written once per socket and loop turn, and the buffers for it.
 * Bytes enter, system calls leave. Knows nothing about Redis, and of event loops only their
 * executor. On the loops.
 */
@NullMarked
package io.penstock.core.output;

import org.jspecify.annotations.NullMarked;
