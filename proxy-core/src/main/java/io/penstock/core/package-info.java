/**
 * Penstock's proxy as a library.
 *
 * <p>A {@link io.penstock.core.Proxy} has event loops, {@linkplain
 * io.penstock.core.assembly.ProxyListener listeners} and {@linkplain
 * io.penstock.core.assembly.ProxyUpstream upstreams}. They assemble the packages below from {@link
 * io.penstock.core.assembly.ProxySettings}. docs/architecture.md shows the path of a request
 * through them.
 *
 * <p>A library sets nothing for the whole JVM. The host should set the following before the first
 * class of Netty or Lettuce is initialized. Penstock works without, with the stated drawback:
 *
 * <ul>
 *   <li>{@code -Dio.netty.iouring.pollAddMultishotEnabled=false}. Without it {@link
 *       io.penstock.core.transport.Transport#IO_URING} misses some connection resets: requests in
 *       flight wait until their deadlines, and the blocking call of a disconnected client
 *       continues.
 *   <li>{@code -Dio.lettuce.core.iouring=false}. Without it Lettuce can choose between epoll and
 *       io_uring, uses epoll, and logs a warning for each connection to a node.
 *   <li>{@code -Djdk.tls.rejectClientInitiatedRenegotiation=true}. Without it, and without
 *       BoringSSL, a client with TLS 1.2 can ask for handshake after handshake on one connection.
 *   <li>{@code --add-opens=java.base/java.lang=ALL-UNNAMED}, if commands are dispatched by client
 *       threads: the event loops run those virtual threads (docs/adr/0014).
 *   <li>The security property {@code networkaddress.cache.ttl}. The JVM's default of 30 seconds is
 *       long for nodes that come back under the same name at another address.
 * </ul>
 */
@NullMarked
package io.penstock.core;

import org.jspecify.annotations.NullMarked;
