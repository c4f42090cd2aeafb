package io.penstock.core.answer;

import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.resp.ReplyWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Answers the commands of client-side caching as a server does for a client that does not use it;
 * enabling it is rejected.
 */
public final class TrackingReplies {

  private static final String NOT_SUPPORTED =
      "ERR CLIENT TRACKING is not supported by this proxy: it does not serve client-side caching";
  private static final String CACHING =
      "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or"
          + " OPTOUT mode enabled";

  private final Client client;

  public TrackingReplies(Client client) {
    this.client = client;
  }

  /** Answers the request; {@code spec} is the spec of its command. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest request) {
    LocalAnswer.send(
        request.begin(spec),
        client.protocol(),
        reply -> {
          switch (which) {
            case CLIENT_CACHING -> reply.error(CACHING);
            case CLIENT_GETREDIR -> reply.integer(-1);
            case CLIENT_TRACKING -> tracking(request.command(), reply);
            case CLIENT_TRACKINGINFO -> info(reply);
            default -> throw new IllegalStateException(which + " is answered elsewhere");
          }
        });
  }

  private static void tracking(Command command, ReplyWriter reply) {
    String error = optionError(command);
    if (error != null) {
      reply.error(error);
    } else if (command.argEqualsIgnoreCase(2, "off")) {
      reply.status("OK");
    } else {
      boolean on = command.argEqualsIgnoreCase(2, "on");
      reply.error(on ? NOT_SUPPORTED : ClientFilter.SYNTAX_ERROR);
    }
  }

  private static @Nullable String optionError(Command command) {
    for (int i = 3; i < command.argc(); i++) {
      boolean more = i + 1 < command.argc();
      switch (command.frame().text(i).toLowerCase(Locale.ROOT)) {
        case "bcast", "optin", "optout", "noloop" -> {}
        case "redirect" -> {
          if (!more) {
            return ClientFilter.SYNTAX_ERROR;
          }
          if (command.argAsLong(++i) == Command.NOT_A_LONG) {
            return "ERR value is not an integer or out of range";
          }
        }
        case "prefix" -> {
          if (!more) {
            return ClientFilter.SYNTAX_ERROR;
          }
          i++;
        }
        default -> {
          return ClientFilter.SYNTAX_ERROR;
        }
      }
    }
    return null;
  }

  private static void info(ReplyWriter reply) {
    reply.map(3);
    reply.bulk("flags");
    reply.set(1);
    reply.bulk("off");
    reply.bulk("redirect");
    reply.integer(-1);
    reply.bulk("prefixes");
    reply.array(0);
  }
}
