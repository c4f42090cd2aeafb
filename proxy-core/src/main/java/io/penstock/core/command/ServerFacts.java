package io.penstock.core.command;

/**
 * What is known of the servers behind the proxy at one moment. Immutable; what changes is the
 * snapshot that a loop holds.
 *
 * @param version the lowest of all nodes'; until one has said its own, the version whose words
 *     Penstock uses
 * @param commands every command, those learnt from the nodes included
 */
public record ServerFacts(ServerVersion version, CommandTable commands) {

  /** The version of the server that Penstock was compared with. */
  private static final ServerVersion REFERENCE = new ServerVersion(7, 0, 15);

  /** Before any node has answered. */
  public static ServerFacts assumed(CommandTable commands) {
    return new ServerFacts(REFERENCE, commands);
  }
}
