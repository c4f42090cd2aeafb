/**
 * How bytes reach the kernel: io_uring, epoll, kqueue or NIO, event loops, socket options, and the
 * one write per socket and loop turn. Knows nothing of Redis.
 */
@NullMarked
package io.penstock.core.transport;

import org.jspecify.annotations.NullMarked;
