package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The subcommands of {@code CLIENT}, as Redis's networking.c answers them. */
final class ClientCommands {

  static final String BAD_NAME =
      "ERR Client names cannot contain spaces, newlines or special characters.";
  private static final String SYNTAX_ERROR = "ERR syntax error";

  private final Session session;

  ClientCommands(Session session) {
    this.session = session;
  }

  /** Neither OFF nor SKIP is answered; SKIP also swallows the next request's reply. */
  void setReplies(CommandSpec spec, Command command) {
    ClientProfile profile = session.profile();
    if (command.argEqualsIgnoreCase(2, "on")) {
      profile.repliesOn();
      respond(session.intake().begin(spec), "+OK\r\n");
    } else if (command.argEqualsIgnoreCase(2, "off")) {
      profile.repliesOff();
      respond(session.intake().begin(spec), "");
    } else if (command.argEqualsIgnoreCase(2, "skip")) {
      Request silent = session.intake().begin(spec);
      profile.skipNextReply();
      respond(silent, "");
    } else {
      session
          .intake()
          .begin(spec)
          .deliverError(ErrorReplies.encode(SYNTAX_ERROR), Outcome.REJECTED);
    }
  }

  private static void respond(Request request, String reply) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
    bytes.writeCharSequence(reply, StandardCharsets.US_ASCII);
    request.deliverOwned(bytes, Outcome.OK);
  }

  void getName(ReplyWriter reply) {
    String name = session.profile().name();
    if (name.isEmpty()) {
      reply.missing();
    } else {
      reply.bulk(name);
    }
  }

  void setName(RequestFrame frame, ReplyWriter reply) {
    String name = LocalReplies.text(frame, 2);
    if (!isPrintable(name)) {
      reply.error(BAD_NAME);
      return;
    }
    session.profile().name(name);
    reply.status("OK");
  }

  void setInfo(RequestFrame frame, ReplyWriter reply) {
    String option = LocalReplies.text(frame, 2);
    String value = LocalReplies.text(frame, 3);
    boolean name = option.equalsIgnoreCase("lib-name");
    if (!name && !option.equalsIgnoreCase("lib-ver")) {
      reply.error("ERR Unrecognized option '" + option + "'");
    } else if (!isPrintable(value)) {
      reply.error("ERR " + option + " cannot contain spaces, newlines or special characters.");
    } else {
      if (name) {
        session.profile().libraryName(value);
      } else {
        session.profile().libraryVersion(value);
      }
      reply.status("OK");
    }
  }

  /** Redis's validateClientName: from {@code !} to {@code ~}. */
  static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= '!' && c <= '~');
  }

  /** Asks all loops; the one that has the client asks the node it blocks on. */
  void unblock(Request request, Command command) {
    boolean error = command.argc() == 4 && command.argEqualsIgnoreCase(3, "error");
    if (command.argc() > 4) {
      String name = LocalReplies.text(command.frame(), 1);
      refuse(
          request,
          "ERR unknown subcommand or wrong number of arguments for '"
              + name
              + "'. Try CLIENT HELP.");
    } else if (command.argc() == 4 && !error && !command.argEqualsIgnoreCase(3, "timeout")) {
      refuse(request, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    } else if (command.argAsLong(2) == Command.NOT_A_LONG) {
      refuse(request, "ERR value is not an integer or out of range");
    } else {
      long id = command.argAsLong(2);
      session
          .loop()
          .directory()
          .askAll(loop -> loop.unblock(id, error))
          .thenCompose(ClientCommands::sum)
          .thenAcceptAsync(
              unblocked -> respond(request, ":" + unblocked + "\r\n"), session.loop().executor());
    }
  }

  private static CompletionStage<Integer> sum(List<CompletionStage<Integer>> answers) {
    CompletionStage<Integer> sum = CompletableFuture.completedStage(0);
    for (CompletionStage<Integer> answer : answers) {
      sum = sum.thenCombine(answer, Integer::sum);
    }
    return sum;
  }

  private static void refuse(Request request, String error) {
    request.deliverError(ErrorReplies.encode(error), Outcome.REJECTED);
  }

  /** Asks all loops; the reply comes when they have answered. */
  void list(Request request, Command command) {
    var filter = new Filter();
    String error = filter.read(command);
    if (error != null) {
      refuse(request, error);
      return;
    }
    var protocol = session.profile().protocol();
    session
        .loop()
        .directory()
        .askAll(loop -> lines(loop, filter.accepts))
        .thenAcceptAsync(
            lists -> {
              ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
              new ReplyWriter(bytes, protocol).verbatim(join(lists));
              request.deliverOwned(bytes, Outcome.OK);
            },
            session.loop().executor());
  }

  private static List<String> lines(SessionLoop loop, Predicate<Session> filter) {
    return loop.sessions().stream().filter(filter).map(ClientLine::of).toList();
  }

  private static String join(List<List<String>> lists) {
    var text = new StringBuilder();
    lists.forEach(lines -> lines.forEach(line -> text.append(line).append('\n')));
    return text.toString();
  }

  /** {@code TYPE normal} or {@code ID id …}. */
  private static final class Filter {

    private Predicate<Session> accepts = _ -> true;

    @Nullable String read(Command command) {
      int argc = command.argc();
      if (argc == 2) {
        return null;
      }
      if (argc == 4 && command.argEqualsIgnoreCase(2, "type")) {
        return readType(LocalReplies.text(command.frame(), 3));
      }
      if (argc > 3 && command.argEqualsIgnoreCase(2, "id")) {
        return readIds(command);
      }
      return SYNTAX_ERROR;
    }

    private @Nullable String readType(String type) {
      switch (type.toLowerCase(Locale.ROOT)) {
        case "normal" -> accepts = session -> !Subscriptions.isSubscriber(session);
        case "pubsub" -> accepts = Subscriptions::isSubscriber;
        case "master", "replica", "slave" -> accepts = _ -> false;
        default -> {
          return "ERR Unknown client type '" + type + "'";
        }
      }
      return null;
    }

    private @Nullable String readIds(Command command) {
      Set<Long> ids = new HashSet<>();
      for (int i = 3; i < command.argc(); i++) {
        long id = command.argAsLong(i);
        if (id == Command.NOT_A_LONG) {
          return "ERR Invalid client ID";
        }
        ids.add(id);
      }
      accepts = session -> ids.contains(session.id());
      return null;
    }
  }
}
