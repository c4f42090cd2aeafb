package io.penstock.core.backend;

/** Why an exchange ended without a reply. */
public enum Failure {
  /** It never left: no connection before the deadline. The command did not run. */
  NOT_SENT,
  /** It was sent and the deadline passed. The command may have run or may run yet. */
  TIMEOUT,
  /** It was sent, at least in part, and the connection ended. The command may have run. */
  CONNECTION_LOST,
  /** Nobody serves the slot at present. The command did not run. */
  NO_OWNER,
  /**
   * Too much waits for the node: held, under way or unsent on its connection, or for a connection
   * of its own. The command did not run.
   */
  OVERLOADED
}
