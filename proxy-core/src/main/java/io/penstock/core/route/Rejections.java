package io.penstock.core.route;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestFrame;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Refusals in Redis's words (server.c: commandCheckExistence, commandCheckArity; cluster.c). */
final class Rejections {

  static final RoutePlan.Reject CROSS_SLOT =
      new RoutePlan.Reject("CROSSSLOT Keys in request don't hash to the same slot");

  private static final int SHOWN = 128;

  private Rejections() {}

  static RoutePlan.Reject unknownCommand(RequestFrame frame) {
    var text = new StringBuilder("ERR unknown command '");
    text.append(text(frame, 0, SHOWN)).append("', with args beginning with: ");
    int shown = 0;
    for (int i = 1; i < frame.argc() && shown < SHOWN; i++) {
      String argument = text(frame, i, SHOWN - shown);
      text.append('\'').append(argument).append("' ");
      shown += argument.length() + 3;
    }
    return new RoutePlan.Reject(oneLine(text));
  }

  static RoutePlan.Reject unknownSubcommand(Command command, CommandSpec container) {
    return new RoutePlan.Reject(
        oneLine(
            new StringBuilder("ERR unknown subcommand '")
                .append(text(command.frame(), 1, SHOWN))
                .append("'. Try ")
                .append(container.name().toUpperCase(Locale.ROOT))
                .append(" HELP.")));
  }

  static RoutePlan.Reject wrongArity(CommandSpec spec) {
    return new RoutePlan.Reject(
        "ERR wrong number of arguments for '" + spec.name() + "' command");
  }

  /** Bytes one to one as characters, as they are written again. */
  private static String text(RequestFrame frame, int argument, int most) {
    int length = Math.min(frame.length(argument), most);
    return frame.buffer().toString(frame.offset(argument), length, StandardCharsets.ISO_8859_1);
  }

  private static String oneLine(StringBuilder text) {
    return text.toString().replace('\r', ' ').replace('\n', ' ');
  }
}
