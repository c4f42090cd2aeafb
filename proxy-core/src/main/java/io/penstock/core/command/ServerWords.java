package io.penstock.core.command;

import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Trait;
import org.jspecify.annotations.Nullable;

/**
 * What versions of servers answer differently to the commands that Penstock answers itself. It
 * answers as the version that it shows would ({@link ServerFacts#ownVersion}). Which commands exist
 * is not said here: the nodes tell that.
 */
public final class ServerWords {

  private static final String NOT_ALLOWED = "ERR Command not allowed inside a transaction";

  private ServerWords() {}

  /**
   * Returns the error for a command that may not be part of a transaction and makes its {@code
   * EXEC} fail, or null if the command may be queued.
   */
  public static @Nullable String transactionError(ServerFacts servers, CommandSpec command) {
    if (!isForbidden(servers, command)) {
      return null;
    }
    return servers.isValkey(9, 0)
        ? "ERR Command '" + command.name() + "' not allowed inside a transaction"
        : NOT_ALLOWED;
  }

  private static boolean isForbidden(ServerFacts servers, CommandSpec command) {
    if (command.has(Trait.NOT_QUEUED_SINCE_VALKEY_8)) {
      return servers.isValkey(8, 0);
    }
    return command.has(Trait.NOT_QUEUED_SINCE_VALKEY_9)
        ? servers.isValkey(9, 0)
        : command.has(CommandFlag.NO_MULTI);
  }

  /**
   * Returns whether arguments behind the last known one of {@code CLIENT PAUSE} and {@code CLIENT
   * UNBLOCK} are no error; then the optional argument is ignored, too.
   */
  public static boolean ignoresFurtherArguments(ServerFacts servers) {
    return servers.isValkey(8, 1);
  }

  /** Returns whether {@code CLUSTER KEYSLOT} is answered without cluster support, too. */
  public static boolean hasSlotsWithoutCluster(ServerFacts servers) {
    return servers.isValkey(9, 1);
  }

  /** Returns whether {@code WAIT} rejects a timeout beyond the end of the server's clock. */
  public static boolean limitsTimeoutOfWait(ServerFacts servers) {
    return isSinceRedis72(servers);
  }

  /** Returns the last line of the replies to {@code HELP} of container commands. */
  public static String lastLineOfHelp(ServerFacts servers) {
    return isSinceRedis72(servers) ? "    Print this help." : "    Prints this help.";
  }

  /** Returns the error of a {@code HELLO} without credentials if the client must authenticate. */
  public static String helloNeedsAuthentication(ServerFacts servers) {
    return "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        + (isSinceRedis72(servers) ? "<proto> " : "")
        + "AUTH <user> <pass> option can be used to authenticate the client and select"
        + " the RESP protocol version at the same time";
  }

  /** Returns whether the servers are Redis 7.2 or later, or Valkey, which began with that. */
  public static boolean isSinceRedis72(ServerFacts servers) {
    return servers.valkey() != null || servers.isRedis(7, 2);
  }

  /**
   * Returns whether a blocked call that is served runs again from its first key, and so fails for a
   * value of another type there.
   */
  public static boolean runsServedCallsAgain(ServerFacts servers) {
    return isSinceRedis72(servers);
  }
}
