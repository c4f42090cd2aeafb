/**
 * What commands are sent to, as the data path sees it: servers ({@link
 * io.penstock.core.upstream.Endpoint}), shards, and which of them serves which keys ({@link
 * io.penstock.core.upstream.Placement}). Values, without I/O; any thread may read them.
 *
 * <p>An {@link io.penstock.core.upstream.Upstream} publishes placements, which all divide keys into
 * the same partitions ({@link io.penstock.core.upstream.Partitioner}), and is told of redirects. A
 * new kind of upstream implements it where servers are found; routing, order, scans and broadcasts
 * know partitions only.
 */
@NullMarked
package io.penstock.core.upstream;

import org.jspecify.annotations.NullMarked;
