package io.penstock.core.backend;

/** Why an exchange ended without a reply. */
public enum Failure {
  /** It was not sent: no connection before the deadline. The command did not run. */
  NOT_SENT,
  /** It was sent and the deadline passed. The command may have run or may still run. */
  TIMEOUT,
  /** It was sent, at least in part, and the connection was lost. The command may have run. */
  CONNECTION_LOST,
  /** No node serves the partition. The command did not run. */
  NO_OWNER,
  /** The exchange may only be read from a replica, and none may be read. */
  NO_REPLICA,
  /**
   * A limit is reached: requests in a failover hold, in flight or unsent bytes on a connection, or
   * leased connections. The command did not run.
   */
  OVERLOADED
}
