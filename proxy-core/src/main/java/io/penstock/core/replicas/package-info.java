/**
 * Which replicas may be read. {@link io.penstock.core.replicas.ReplicaMonitor} queries the masters
 * and replicas of the latest placement several times a second, on the topology thread and outside
 * the data path, and publishes {@link io.penstock.core.upstream.ReadTargets}, which event loops
 * adopt like a placement. An upstream whose reads go to masters only has no monitor.
 */
@NullMarked
package io.penstock.core.replicas;

import org.jspecify.annotations.NullMarked;
