package io.penstock.core.answer;

import io.penstock.core.client.Client;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.Command;
import io.penstock.core.directory.ClientFilter;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
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
    Set<String> options = new HashSet<>();
    String error = readOptions(command, options);
    boolean on = command.argEqualsIgnoreCase(2, "on");
    if (error != null) {
      reply.error(error);
    } else if (on) {
      String conflict = conflict(options);
      reply.error(conflict == null ? NOT_SUPPORTED : conflict);
    } else if (command.argEqualsIgnoreCase(2, "off")) {
      reply.status("OK");
    } else {
      reply.error(ClientFilter.SYNTAX_ERROR);
    }
  }

  /** Adds the options, in small letters. Returns the error in them, or null. */
  private static @Nullable String readOptions(Command command, Set<String> options) {
    for (int i = 3; i < command.argc(); i++) {
      boolean more = i + 1 < command.argc();
      String option = command.frame().text(i).toLowerCase(Locale.ROOT);
      options.add(option);
      switch (option) {
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

  private static @Nullable String conflict(Set<String> options) {
    boolean broadcast = options.contains("bcast");
    boolean in = options.contains("optin");
    boolean out = options.contains("optout");
    if (options.contains("prefix") && !broadcast) {
      return "ERR PREFIX option requires BCAST mode to be enabled";
    }
    if (broadcast && (in || out)) {
      return "ERR OPTIN and OPTOUT are not compatible with BCAST";
    }
    return in && out ? "ERR You can't specify both OPTIN mode and OPTOUT mode" : null;
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
