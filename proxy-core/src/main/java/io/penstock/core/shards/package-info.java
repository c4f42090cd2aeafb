/**
 * Several systems that share the keys: an upstream ({@link
 * io.penstock.core.shards.ShardsUpstreamSettings}) that consists of upstreams. A {@link
 * io.penstock.core.layout.ShardLayout} says which of them has a key. Their placements enter, one
 * placement that has them all leaves. On the topology thread; what the data path reports comes from
 * event loops.
 */
@NullMarked
package io.penstock.core.shards;

import org.jspecify.annotations.NullMarked;
