/**
 * Penstock against real servers: a proxy in this JVM, servers as processes of their own, clients
 * over real sockets. Nothing is mocked and nothing sleeps.
 *
 * <p>{@link io.penstock.server.it.ProxyFixture} is the proxy, {@link
 * io.penstock.testkit.wire.RespClient} a client that shows reply bytes as they are, {@link
 * io.penstock.server.it.SharedCluster} the cluster of the tests that leave one as they found it.
 */
@NullMarked
package io.penstock.server.it;

import org.jspecify.annotations.NullMarked;
