package io.penstock.core.dispatch;

/**
 * Sends exchanges to nodes, one way or the other. There is one per event loop, used on that loop.
 */
public sealed interface Dispatcher extends Sender, Capacity
    permits AsyncDispatcher, SyncDispatcher {

  /** The nodes that it sends to. */
  NodeView nodes();

  /** Connects to the masters before the first request. Called once, at startup. */
  void connect();

  /**
   * Uses the latest placement from now on. Called on each loop with each change of the placement.
   * Exchanges that wait for a node that no longer serves their partition are dispatched again in a
   * separate task, so that the caller does not get callbacks.
   */
  void adoptPlacement();

  /**
   * Adopts a placement that this loop has missed, and expires exchanges past their deadline. Called
   * several times per command timeout.
   */
  void tick(long now);

  /** The password of nodes has changed: authenticates again, or on new connections. */
  void authenticateAgain();

  /** Closes all connections at once. */
  void close();
}
