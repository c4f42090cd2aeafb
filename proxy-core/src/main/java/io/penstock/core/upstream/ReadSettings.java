package io.penstock.core.upstream;

import java.time.Duration;

/**
 * From which nodes an upstream's reads are served. Immutable.
 *
 * @param from which nodes of a shard are read
 * @param balance how clients are distributed over the nodes that may be read
 * @param zones which of these nodes come first
 * @param maxLagBytes a replica whose replication offset is further behind its master's is not read,
 *     in bytes; {@link #NO_LAG_LIMIT} for no limit
 * @param readYourWrites for how long after the reply to a client's write its reads of the same
 *     partition go to the master; zero for not at all
 * @param readOnly whether the upstream only serves reads: commands that may write are rejected, as
 *     a replica would
 */
public record ReadSettings(
    ReadFrom from,
    Balance balance,
    Zones zones,
    long maxLagBytes,
    Duration readYourWrites,
    boolean readOnly) {

  /** The value of {@link #maxLagBytes} for no limit. */
  public static final long NO_LAG_LIMIT = -1;

  /** Reads go to masters, as writes do. */
  public static final ReadSettings MASTER_ONLY = of(ReadFrom.MASTER);

  /** Returns settings with a policy, and the defaults for the rest. */
  public static ReadSettings of(ReadFrom from) {
    return new ReadSettings(
        from, Balance.ROUND_ROBIN, Zones.NONE, NO_LAG_LIMIT, Duration.ofSeconds(1), false);
  }

  /** Returns whether reads may go to other nodes than masters, which have to be monitored then. */
  public boolean usesReplicas() {
    return from != ReadFrom.MASTER;
  }
}
