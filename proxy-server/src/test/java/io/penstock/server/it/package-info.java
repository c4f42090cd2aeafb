/**
 * Penstock with real servers: a proxy in this JVM, servers as separate processes, clients over real
 * sockets. No mocks, no sleeps.
 *
 * <p>{@link io.penstock.server.it.ProxyFixture} is the proxy, {@link
 * io.penstock.testkit.wire.RespClient} a client that shows reply bytes unchanged, {@link
 * io.penstock.server.it.SharedCluster} the cluster of tests that do not change its shape.
 */
@NullMarked
package io.penstock.server.it;

import org.jspecify.annotations.NullMarked;
