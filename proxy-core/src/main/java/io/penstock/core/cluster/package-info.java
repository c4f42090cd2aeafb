/**
 * Who owns which slot: pure values, no I/O.
 *
 * <p>Keys enter as byte ranges and leave as slots; {@link io.penstock.core.cluster.SlotMap}
 * snapshots are immutable and may be read from any thread. {@link
 * io.penstock.core.upstream.Topology} is how the data path reads the newest snapshot and reports
 * what it learnt from redirects.
 */
@NullMarked
package io.penstock.core.cluster;

import org.jspecify.annotations.NullMarked;
