package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Glob;

/**
 * Redis's error replies for unknown commands and wrong arity, in its exact words ({@code
 * commandCheckExistence} and {@code commandCheckArity} in server.c). A reply is the line without
 * the leading {@code -} and the line end, one character per byte (ISO-8859-1).
 */
public final class CommandErrors {

  /** Most bytes that an error shows of the name, and of all arguments together. */
  private static final int MAX_SHOWN = 128;

  /** The characters around each argument. */
  private static final int QUOTES_AND_SPACE = 3;

  /**
   * Penstock's own error, for a request with a pattern that is too long; see {@link
   * CommandSpec#acceptsPatterns}.
   */
  public static final String PATTERN_TOO_LONG =
      "ERR pattern is too long: more than " + Glob.MAX_LENGTH + " bytes";

  private CommandErrors() {}

  /** Returns the error for an unknown command. */
  public static String unknownCommand(RequestFrame frame) {
    StringBuilder error = new StringBuilder("ERR unknown command '");
    append(error, frame, 0, MAX_SHOWN);
    error.append("', with args beginning with: ");
    int shown = 0;
    for (int i = 1; i < frame.argc() && shown < MAX_SHOWN; i++) {
      error.append('\'');
      shown += append(error, frame, i, MAX_SHOWN - shown) + QUOTES_AND_SPACE;
      error.append("' ");
    }
    return error.toString();
  }

  /** Returns the error for an unknown subcommand of a container. */
  public static String unknownSubcommand(RequestFrame frame, CommandSpec container) {
    StringBuilder error = new StringBuilder("ERR unknown subcommand '");
    append(error, frame, 1, MAX_SHOWN);
    error.append("'. Try ").append(container.displayName()).append(" HELP.");
    return error.toString();
  }

  /** Returns the error for a wrong number of arguments; see {@link CommandSpec#acceptsArity}. */
  public static String wrongArity(CommandSpec spec) {
    return "ERR wrong number of arguments for '" + spec.wireName() + "' command";
  }

  /**
   * Appends up to {@code limit} bytes of an argument, up to a NUL as in Redis's C strings, with
   * line breaks replaced by spaces. Returns how many were appended.
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
