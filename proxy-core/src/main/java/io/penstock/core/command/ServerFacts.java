package io.penstock.core.command;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of what is known about the upstream's servers. Immutable; each loop is given a new
 * snapshot when it changes.
 *
 * @param version the lowest version of all nodes; until a node has reported its version, the one
 *     whose error texts Penstock uses
 * @param valkey the lowest Valkey version if all nodes are Valkey, otherwise null
 * @param hello what all nodes tell in {@code HELLO}
 * @param commands all commands, including those learnt from the nodes
 */
public record ServerFacts(
    ServerVersion version,
    @Nullable ServerVersion valkey,
    HelloFacts hello,
    CommandTable commands) {

  /** The version of the server that Penstock's behaviour is tested against. */
  private static final ServerVersion REFERENCE = new ServerVersion(7, 0, 15);

  /** For servers without modules. */
  public ServerFacts(ServerVersion version, @Nullable ServerVersion valkey, CommandTable commands) {
    this(version, valkey, HelloFacts.NONE, commands);
  }

  /** Returns the facts before any node has answered. */
  public static ServerFacts initial(CommandTable commands) {
    return new ServerFacts(REFERENCE, null, commands);
  }

  /** Returns the same facts with other commands. */
  public ServerFacts with(CommandTable other) {
    return new ServerFacts(version, valkey, hello, other);
  }

  /** Returns whether all nodes are Valkey of at least this version. */
  public boolean isValkey(int major, int minor) {
    return valkey != null && valkey.compareTo(new ServerVersion(major, minor, 0)) >= 0;
  }

  /** Returns whether not all nodes are Valkey, and all have at least this version of Redis. */
  public boolean isRedis(int major, int minor) {
    return valkey == null && version.compareTo(new ServerVersion(major, minor, 0)) >= 0;
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
