package io.penstock.core.acl;

import io.penstock.core.command.ServerFacts;
import io.penstock.core.command.ServerWords;

/**
 * What servers say about requests that are not permitted, in the words of their version. A reply is
 * the error line without the leading {@code -} and the line end, one character per byte.
 */
public final class AclWords {

  private AclWords() {}

  /** Returns the error that answers a request. */
  public static String error(Denial denial, String user, ServerFacts servers) {
    boolean newer = ServerWords.isSinceRedis72(servers);
    return switch (denial.reason()) {
      case COMMAND ->
          newer
              ? "NOPERM " + command(denial, user)
              : "NOPERM this user has no permissions to run the '" + denial.object() + "' command";
      case KEY ->
          newer
              ? "NOPERM No permissions to access a key"
              : "NOPERM this user has no permissions to access one of the keys used as arguments";
      case CHANNEL ->
          newer
              ? "NOPERM No permissions to access a channel"
              : "NOPERM this user has no permissions to access one of the channels used as"
                  + " arguments";
      case SORT_OPTION -> sortOption(denial);
    };
  }

  /** Returns the error of a command of a transaction that {@code EXEC} does not run any more. */
  public static String errorAtExec(Denial denial) {
    return switch (denial.reason()) {
      case COMMAND -> changedRules("no permission to execute the command or subcommand");
      case KEY -> changedRules("no permission to touch the specified keys");
      case CHANNEL -> changedRules("no permission to access one of the channels used as arguments");
      case SORT_OPTION -> sortOption(denial);
    };
  }

  private static String changedRules(String reason) {
    return "NOPERM ACLs rules changed between the moment the transaction was accumulated and the"
        + " EXEC call. This command is no longer allowed for the following reason: "
        + reason;
  }

  private static String sortOption(Denial denial) {
    return "ERR " + denial.object() + " option of SORT denied due to insufficient ACL permissions.";
  }

  /** Returns the reply of {@code ACL DRYRUN}, a bulk string. */
  public static String dryRun(Denial denial, String user, ServerFacts servers) {
    String who = ServerWords.isSinceRedis72(servers) ? "User " + user : "This user";
    String what =
        switch (denial.reason()) {
          case COMMAND -> "run the '" + denial.object() + "' command";
          case KEY -> "access the '" + denial.object() + "' key";
          case CHANNEL -> "access the '" + denial.object() + "' channel";
          case SORT_OPTION -> "use the option " + denial.object();
        };
    return who + " has no permissions to " + what;
  }

  private static String command(Denial denial, String user) {
    return "User " + user + " has no permissions to run the '" + denial.object() + "' command";
  }
}
