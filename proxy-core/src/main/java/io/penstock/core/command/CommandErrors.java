package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Glob;

/**
 * Redis's error replies about commands as such, in its exact words ({@code commandCheckExistence}
 * and {@code commandCheckArity} in server.c): the line without the leading {@code -} and the line
 * end, one character a byte (ISO-8859-1).
 */
public final class CommandErrors {

  /** How much of a name and of all arguments together an error shows. */
  private static final int SHOWN = 128;

  /** What stands around each argument shown. */
  private static final int QUOTES_AND_SPACE = 3;

  /** Penstock's own: for a request whose {@link CommandSpec#acceptsPatterns} is false. */
  public static final String PATTERN_TOO_LONG =
      "ERR pattern is too long: more than " + Glob.MAX_LENGTH + " bytes";

  private CommandErrors() {}

  /** For a request whose command the table does not have. */
  public static String unknownCommand(RequestFrame frame) {
    StringBuilder error = new StringBuilder("ERR unknown command '");
    append(error, frame, 0, SHOWN);
    error.append("', with args beginning with: ");
    int shown = 0;
    for (int i = 1; i < frame.argc() && shown < SHOWN; i++) {
      error.append('\'');
      shown += append(error, frame, i, SHOWN - shown) + QUOTES_AND_SPACE;
      error.append("' ");
    }
    return error.toString();
  }

  /** For a request that names a container and none of its subcommands. */
  public static String unknownSubcommand(RequestFrame frame, CommandSpec container) {
    StringBuilder error = new StringBuilder("ERR unknown subcommand '");
    append(error, frame, 1, SHOWN);
    error.append("'. Try ").append(container.displayName()).append(" HELP.");
    return error.toString();
  }

  /** For a request that {@link CommandSpec#acceptsArity} does not accept. */
  public static String wrongArity(CommandSpec spec) {
    return "ERR wrong number of arguments for '" + spec.name() + "' command";
  }

  /**
   * Appends up to {@code limit} bytes of an argument: C's strings end at a NUL, an error is one
   * line.
   */
  private static int append(StringBuilder error, RequestFrame frame, int i, int limit) {
    ByteBuf buffer = frame.buffer();
    int length = Math.min(frame.length(i), limit);
    for (int at = 0; at < length; at++) {
      char c = (char) buffer.getUnsignedByte(frame.offset(i) + at);
      if (c == 0) {
        return at;
      }
      error.append(c == '\r' || c == '\n' ? ' ' : c);
    }
    return length;
  }
}
