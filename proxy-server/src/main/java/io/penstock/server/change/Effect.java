package io.penstock.server.change;

/**
 * How a change of a configuration key takes effect. {@code docs/reference/configuration.md} shows
 * the name.
 */
public enum Effect {
  /** While Penstock runs, and all clients stay connected. */
  LIVE,
  /**
   * While Penstock runs. Clients that cannot move to the new servers, because they are subscribed
   * or blocked, are closed after their last reply.
   */
  DRAINS,
  /** When Penstock is started again. */
  RESTART
}
