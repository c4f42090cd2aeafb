package io.penstock.core.command;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the servers behind the proxy at one moment. Immutable; what changes is the
 * snapshot that a loop holds.
 *
 * @param version the lowest of all nodes'; until one has said its own, the version whose words
 *     Penstock uses
 * @param valkey the lowest by Valkey's own count where all nodes are Valkey, else null
 * @param commands every command, those learnt from the nodes included
 */
public record ServerFacts(
    ServerVersion version, @Nullable ServerVersion valkey, CommandTable commands) {

  /** The version of the server that Penstock was compared with. */
  private static final ServerVersion REFERENCE = new ServerVersion(7, 0, 15);

  /** Before any node has answered. */
  public static ServerFacts initial(CommandTable commands) {
    return new ServerFacts(REFERENCE, null, commands);
  }

  /** Since when Valkey discards a transaction in which MULTI or WATCH is called. */
  private static final ServerVersion VALKEY_8 = new ServerVersion(8, 0, 0);

  /** Whether a command that begins a transaction makes {@code EXEC} fail within another one. */
  public boolean abortsTransaction(CommandSpec command) {
    return valkey != null
        && valkey.compareTo(VALKEY_8) >= 0
        && (command.name().equals("multi") || command.name().equals("watch"));
  }

  /** What the servers call themselves. */
  public String name() {
    return valkey == null ? "redis" : "valkey";
  }

  /** Their version by the count of that name. */
  public ServerVersion ownVersion() {
    return valkey == null ? version : valkey;
  }
}
