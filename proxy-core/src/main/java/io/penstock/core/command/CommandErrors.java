package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import java.nio.charset.StandardCharsets;

/**
 * Redis's error replies about commands as such, in its exact words ({@code commandCheckExistence} and {@code
 * commandCheckArity} in server.c). Every method appends to a borrowed buffer.
 */
public final class CommandErrors {

  /** How much of a name and of all arguments together an error shows. */
  private static final int SHOWN = 128;

  /** What stands around each argument shown. */
  private static final int QUOTES_AND_SPACE = 3;

  private CommandErrors() {}

  /** For a request whose command the table does not have. */
  public static void unknownCommand(RequestFrame frame, ByteBuf out) {
    text("-ERR unknown command '", out);
    argument(frame, 0, SHOWN, false, out);
    text("', with args beginning with: ", out);
    int shown = 0;
    for (int i = 1; i < frame.argc() && shown < SHOWN; i++) {
      text("'", out);
      shown += argument(frame, i, SHOWN - shown, false, out) + QUOTES_AND_SPACE;
      text("' ", out);
    }
    text("\r\n", out);
  }

  /** For a request that names a container and none of its subcommands. */
  public static void unknownSubcommand(RequestFrame frame, ByteBuf out) {
    text("-ERR unknown subcommand '", out);
    argument(frame, 1, SHOWN, false, out);
    text("'. Try ", out);
    argument(frame, 0, Integer.MAX_VALUE, true, out);
    text(" HELP.\r\n", out);
  }

  /** For a request that {@link CommandSpec#acceptsArity} does not accept. */
  public static void wrongArity(CommandSpec spec, ByteBuf out) {
    text("-ERR wrong number of arguments for '", out);
    text(spec.name(), out);
    text("' command\r\n", out);
  }

  /** For {@link Handling.Refused} and {@link Handling.RefusedIf}. */
  public static void refused(String error, ByteBuf out) {
    text("-", out);
    text(error, out);
    text("\r\n", out);
  }

  /**
   * Up to {@code limit} bytes of an argument, ended by a NUL as C strings are, line ends made spaces.
   *
   * @return how many bytes
   */
  private static int argument(
      RequestFrame frame, int i, int limit, boolean upperCase, ByteBuf out) {
    ByteBuf buffer = frame.buffer();
    int length = Math.min(frame.length(i), limit);
    for (int at = 0; at < length; at++) {
      byte b = buffer.getByte(frame.offset(i) + at);
      if (b == 0) {
        return at;
      }
      if (b == '\r' || b == '\n') {
        out.writeByte(' ');
      } else {
        out.writeByte(upperCase && b >= 'a' && b <= 'z' ? b & ~0x20 : b);
      }
    }
    return length;
  }

  private static void text(String ascii, ByteBuf out) {
    out.writeCharSequence(ascii, StandardCharsets.US_ASCII);
  }
}
