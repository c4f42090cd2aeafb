/**
 * The parts specific to Redis Cluster: its 16,384 slots, the slot map ({@link
 * io.penstock.core.cluster.SlotMap}, its placement), redirects, and the cluster that Penstock shows
 * to clients. Pure values, no I/O: keys enter as byte ranges and leave as slots. Safe from any
 * thread.
 */
@NullMarked
package io.penstock.core.cluster;

import org.jspecify.annotations.NullMarked;
