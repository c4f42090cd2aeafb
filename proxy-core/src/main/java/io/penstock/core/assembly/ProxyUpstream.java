package io.penstock.core.assembly;

import java.util.concurrent.CompletableFuture;

/**
 * An upstream of a proxy, which listeners serve: of servers that speak RESP, or of any servers over
 * plain TCP. All methods are safe from any thread.
 */
public sealed interface ProxyUpstream permits RespUpstream, TcpUpstream {

  /** Returns the settings in force. */
  ProxySettings.Upstream settings();

  /** Returns the configured name. */
  String name();

  /** Returns the kind and the configured addresses, for logs: without passwords. */
  String description();

  /** Starts to discover the servers, and to check their health. */
  void start();

  /** Logs and reports as an upstream that is in use, from now on. */
  void endTrial();

  /**
   * Returns whether it can serve requests: the master of at least one slot answers, or a client can
   * get a TCP server.
   */
  boolean isReady();

  /** Returns whether it has the same servers as another one, so that clients may keep that one. */
  boolean hasServersOf(ProxyUpstream other);

  /** Returns whether clients, present or future, use it. Completes on one of the event loops. */
  CompletableFuture<Boolean> isUsed();

  /** Closes the clients that have not moved to the new upstream, once they are answered. */
  void drainLaggards();

  /** Stops queries and closes all connections at once. Completes when each loop has. */
  CompletableFuture<Void> close();
}
