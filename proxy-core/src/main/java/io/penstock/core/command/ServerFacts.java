package io.penstock.core.command;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of what is known about the upstream's servers. Immutable; each loop is given a new
 * snapshot when it changes.
 *
 * @param version the lowest version of all nodes; until a node has reported its version, the one
 *     whose error texts Penstock uses
 * @param valkey the lowest Valkey version if all nodes are Valkey, otherwise null
 * @param commands all commands, including those learnt from the nodes
 */
public record ServerFacts(
    ServerVersion version, @Nullable ServerVersion valkey, CommandTable commands) {

  /** The version of the server that Penstock's behaviour is tested against. */
  private static final ServerVersion REFERENCE = new ServerVersion(7, 0, 15);

  /** Returns the facts before any node has answered. */
  public static ServerFacts initial(CommandTable commands) {
    return new ServerFacts(REFERENCE, null, commands);
  }

  /** From this version on, Valkey aborts a transaction in which MULTI or WATCH is called. */
  private static final ServerVersion VALKEY_8 = new ServerVersion(8, 0, 0);

  /** Returns whether the command, called within a transaction, makes its {@code EXEC} fail. */
  public boolean abortsTransaction(CommandSpec command) {
    return valkey != null
        && valkey.compareTo(VALKEY_8) >= 0
        && (command.name().equals("multi") || command.name().equals("watch"));
  }

  /** Returns the name of the server software. */
  public String name() {
    return valkey == null ? "redis" : "valkey";
  }

  /** Returns the version of the software of that name. */
  public ServerVersion ownVersion() {
    return valkey == null ? version : valkey;
  }
}
