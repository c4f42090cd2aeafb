/**
 * What goes wrong in a data centre, done on purpose to a real cluster behind Penstock while clients
 * work through it whose every reply and every value can be checked afterwards.
 *
 * <p>{@link io.penstock.testkit.network.Relay} stands on the wire, {@link
 * io.penstock.server.fault.FaultTestbed} is cluster, relays and proxy, {@link
 * io.penstock.server.fault.FaultTimeline} knows what may be answered now, {@link
 * io.penstock.server.fault.FaultWorkload} is the clients, {@link io.penstock.server.fault.Faults}
 * the list of what is done to them.
 */
@NullMarked
package io.penstock.server.fault;

import org.jspecify.annotations.NullMarked;
