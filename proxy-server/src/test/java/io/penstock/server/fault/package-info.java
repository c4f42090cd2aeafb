/**
 * Fault injection: faults of a data centre are injected into a real cluster behind Penstock, while
 * clients run whose every reply and every value can be checked.
 *
 * <p>{@link io.penstock.testkit.network.Relay} forwards connections, {@link
 * io.penstock.server.fault.FaultTestbed} is the nodes, relays and proxy, {@link
 * io.penstock.server.fault.FaultTimeline} knows which errors are allowed now, {@link
 * io.penstock.server.fault.FaultWorkload} is the clients, {@link io.penstock.server.fault.Faults}
 * the list of faults.
 */
@NullMarked
package io.penstock.server.fault;

import org.jspecify.annotations.NullMarked;
