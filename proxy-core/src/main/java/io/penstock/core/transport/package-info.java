/**
 * How bytes reach the kernel: io_uring, epoll, kqueue or NIO, event loops, socket options, and the
 * one write per socket and loop turn. Knows nothing of Redis. Runs on the loops, but for the thread
 * of {@link io.penstock.core.transport.AlarmClock}, and names, which are looked up on virtual
 * threads.
 */
@NullMarked
package io.penstock.core.transport;

import org.jspecify.annotations.NullMarked;
