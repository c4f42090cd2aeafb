package io.penstock.core.observe;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a replica that reads may go to. Immutable.
 *
 * @param node the replica
 * @param master the master of its shard
 * @param timesLeftOut how often it was readable and then was not, since it is known
 * @param lagBytes how far its replication offset was behind its master's, when it last answered;
 *     {@link #UNKNOWN} if it cannot be compared
 * @param latencyNanos smoothed round trip of a query, in nanoseconds; {@link #UNKNOWN} before the
 *     first
 * @param zone the availability zone that it reports, or null
 * @param failure why it does not answer, without passwords; null if it does
 */
public record ReplicaStatus(
    Endpoint node,
    Endpoint master,
    ReplicaState state,
    long timesLeftOut,
    long lagBytes,
    long latencyNanos,
    @Nullable String zone,
    @Nullable String failure) {

  /** The value of a number that is not known. */
  public static final long UNKNOWN = -1;
}
