/**
 * Event loops on io_uring, epoll, kqueue or NIO, and socket options. Knows nothing about Redis.
 * Runs on the loops, except for the thread of {@link io.penstock.core.transport.AlarmClock}, and
 * name resolution on virtual threads.
 */
@NullMarked
package io.penstock.core.transport;

import org.jspecify.annotations.NullMarked;
