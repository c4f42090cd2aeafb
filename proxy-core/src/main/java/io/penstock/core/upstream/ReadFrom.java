package io.penstock.core.upstream;

/**
 * Which nodes of a shard answer commands that only read. Commands that may write go to the master
 * under any policy.
 *
 * <p>A replica <em>may be read</em> if it answers, its link to the shard's master is up, it is not
 * loading, and its lag is within the limit. A master may be read if it answers.
 */
public enum ReadFrom {
  /** The master only. */
  MASTER,
  /** The master. The replicas while the master does not answer. */
  MASTER_PREFERRED,
  /** The replicas that may be read, never the master. While there is none, reads wait. */
  REPLICA,
  /** The replicas that may be read. The master while there is none. */
  REPLICA_PREFERRED,
  /** Of master and replicas that may be read, those that answer fastest. */
  LOWEST_LATENCY,
  /** Master and replicas that may be read, alike. */
  ANY;

  /** Returns whether reads may go to the master while nothing is known about the replicas. */
  public boolean mayReadMaster() {
    return this != REPLICA;
  }
}
