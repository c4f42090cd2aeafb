/**
 * The network under a test's control: {@link io.penstock.testkit.network.Peer} is one end of a
 * connection, byte by byte, {@link io.penstock.testkit.network.ScriptedNode} a server with scripted
 * replies, {@link io.penstock.testkit.network.Relay} a network that breaks, {@link
 * io.penstock.testkit.network.HeaderRelay} a load balancer that requires the PROXY protocol, {@link
 * io.penstock.testkit.network.ReplicaLag} a replica that falls behind. Peers block the thread that
 * calls them, with a limit on each wait; relays have threads of their own.
 *
 * <p>Only for tests: penstock.jar leaves this package out.
 */
@NullMarked
package io.penstock.testkit.network;

import org.jspecify.annotations.NullMarked;
