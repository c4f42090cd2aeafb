/**
 * Penstock's proxy as a library.
 *
 * <p>A {@link io.penstock.core.Proxy} has event loops and services; {@code Service} assembles the
 * rooms below from {@link io.penstock.core.ProxySettings}, and is the only class that knows all of
 * them. A command's way: {@code listener} → {@code session} → {@code dispatch}, {@code pubsub} →
 * {@code route}, {@code backend} → {@code command}, {@code cluster} → {@code resp}.
 *
 * <p>A library sets nothing for the whole JVM. What this one expects of its host, before the first
 * class of Netty or Lettuce is initialized; it works without, as told:
 *
 * <ul>
 *   <li>{@code -Dio.netty.iouring.pollAddMultishotEnabled=false}. Without it {@link
 *       io.penstock.core.transport.Transport#IO_URING} misses some connections that are reset:
 *       requests in flight wait until their deadlines, and a client that is gone keeps its blocking
 *       call.
 *   <li>{@code -Dio.lettuce.core.iouring=false}. Without it Lettuce, which has the choice between
 *       epoll and io_uring then and takes epoll, warns of that at each connection to a node.
 *   <li>{@code --add-opens=java.base/java.lang=ALL-UNNAMED}, if commands are dispatched by client
 *       threads: event loops carry them then (docs/adr/0014).
 *   <li>The security property {@code networkaddress.cache.ttl}. The JVM's 30 seconds are long for
 *       nodes that come back on other addresses behind the same names.
 * </ul>
 */
@NullMarked
package io.penstock.core;

import org.jspecify.annotations.NullMarked;
