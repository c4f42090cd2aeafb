/**
 * Upstreams as the data path sees them: nodes ({@link io.penstock.core.upstream.Endpoint}), shards,
 * and which shard serves which keys ({@link io.penstock.core.upstream.Placement}). Immutable values
 * without I/O, safe from any thread.
 *
 * <p>An {@link io.penstock.core.upstream.Upstream} publishes placements, which all have the same
 * {@link io.penstock.core.upstream.Partitioner}. The data path reports redirects to it. Routing,
 * ordering, scans and broadcasts depend on partitions only, so a new kind of upstream only has to
 * implement this interface, as the packages {@code topology}, {@code discovery}, {@code sentinel}
 * and {@code shards} do.
 */
@NullMarked
package io.penstock.core.upstream;

import org.jspecify.annotations.NullMarked;
