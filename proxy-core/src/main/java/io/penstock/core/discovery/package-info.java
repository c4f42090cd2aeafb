/**
 * The discovery of a cluster's slot map.
 *
 * <p>Input: seeds and credentials at start, redirects and refresh triggers from the event loops.
 * Output: one immutable {@link io.penstock.core.cluster.SlotMap} behind one volatile, a status for
 * operators, and an event for each refresh.
 *
 * <p>A refresh uses these classes, in this order: {@code RefreshSchedule} decides when it starts;
 * {@code RefreshRound} queries three nodes at a time, over {@code LettuceViewSource}; {@code
 * ClusterNodesParser} turns each answer into a {@code ClusterView}; {@code ViewChoice} selects one
 * view; {@code KnownCluster} merges what is not older than what is known; {@code SlotPatches}
 * decides which redirects are kept; {@link io.penstock.core.discovery.ClusterTopology} publishes
 * the result.
 *
 * <p>The queries use the {@code ControlPlane}, like those of the package {@code survey}.
 *
 * <p>All of it runs on one thread, the topology thread, with one more thread for Lettuce's I/O;
 * never on the proxy's event loops. Other threads access only {@code SlotPatches} and the published
 * map. Nothing blocks. In this package, only {@code LettuceViewSource} uses Lettuce.
 */
@NullMarked
package io.penstock.core.discovery;

import org.jspecify.annotations.NullMarked;
