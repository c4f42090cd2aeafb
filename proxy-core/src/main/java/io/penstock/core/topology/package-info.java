/**
 * Where slot maps come from, and what nodes say about themselves.
 *
 * <p>What enters: seeds and credentials at start, redirects and refresh triggers from the event
 * loops. What leaves: one immutable {@link io.penstock.core.cluster.SlotMap} behind one volatile, a
 * status for those who watch, and an event for each refresh.
 *
 * <p>A refresh goes through these classes in this order: {@code RefreshSchedule} decides that it is
 * time; {@code RefreshRound} asks nodes three at a time, over {@code LettuceViewSource}, and each
 * answer becomes a {@code ClusterView} by way of {@code ClusterNodesParser}; {@code ViewChoice}
 * picks one view; {@code KnownCluster} takes from it what is not older than what is known already;
 * {@code SlotPatches} says which redirects must outlive it; {@link
 * io.penstock.core.topology.ClusterTopology} publishes the result.
 *
 * <p>{@code ServerSurvey} asks the nodes that the map names, over {@code LettuceServerSource}, for
 * their version and their commands, and {@code SurveyFailures} has why a node did not answer.
 * {@code HealthCheck} sends each of them {@code PING} over {@code LettucePinger}. Both sources use
 * the one {@code ControlPlane}.
 *
 * <p>All of that runs on one thread of its own, the topology thread, with one more for Lettuce's
 * I/O; the proxy's event loops are never used. Only {@code SlotPatches} and the published map are
 * touched by other threads. Nothing blocks. Lettuce appears in this package and nowhere else.
 */
@NullMarked
package io.penstock.core.topology;

import org.jspecify.annotations.NullMarked;
