/**
 * Event loops on io_uring, epoll, kqueue or NIO, socket options, and the output of sockets, which
 * is written once per socket and loop turn. Knows nothing about Redis. Runs on the loops, except
 * for the thread of {@link io.penstock.core.transport.AlarmClock}, and name resolution on virtual
 * threads.
 */
@NullMarked
package io.penstock.core.transport;

import org.jspecify.annotations.NullMarked;
