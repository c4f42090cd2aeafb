/**
 * The upstream that Redis Sentinel manages: one master, found through its sentinels, and its
 * replicas.
 *
 * <p>Input: the sentinels' addresses and the master's name at start, messages of the sentinels, and
 * refresh triggers from the event loops. Output: a {@link
 * io.penstock.core.upstream.SinglePlacement} behind one volatile, and a status for operators.
 *
 * <p>All of it runs on the topology thread. Nothing blocks.
 */
@NullMarked
package io.penstock.core.sentinel;

import org.jspecify.annotations.NullMarked;
