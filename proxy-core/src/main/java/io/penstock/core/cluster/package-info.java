/**
 * What only a Redis Cluster has: 16,384 slots, which shard owns which ({@link
 * io.penstock.core.cluster.SlotMap}, its placement), redirects, and the cluster that Penstock shows
 * to clients. Pure values, no I/O: keys enter as byte ranges and leave as slots, and any thread may
 * read.
 */
@NullMarked
package io.penstock.core.cluster;

import org.jspecify.annotations.NullMarked;
