package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import java.nio.charset.StandardCharsets;

/** The subcommands of {@code CLIENT}, as Redis's networking.c answers them. */
final class ClientCommands {

  static final String BAD_NAME =
      "ERR Client names cannot contain spaces, newlines or special characters.";
  private static final String SYNTAX_ERROR = "ERR syntax error";
  private static final String NO_TOUCH =
      "ERR CLIENT NO-TOUCH is not supported by this proxy: clients share its connections to nodes";

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
    session.allowance().keepsMore();
    reply.status("OK");
  }

  void setInfo(RequestFrame frame, ReplyWriter reply) {
    String option = LocalReplies.text(frame, 2);
    String value = LocalReplies.text(frame, 3);
    boolean name = option.equalsIgnoreCase("lib-name");
    if (!name && !option.equalsIgnoreCase("lib-ver")) {
      reply.error("ERR Unrecognized option " + ErrorReplies.quoted(option));
    } else if (!isPrintable(value)) {
      reply.error("ERR " + option + " cannot contain spaces, newlines or special characters.");
    } else {
      if (name) {
        session.profile().libraryName(value);
      } else {
        session.profile().libraryVersion(value);
      }
      session.allowance().keepsMore();
      reply.status("OK");
    }
  }

  void noEvict(Command command, ReplyWriter reply) {
    boolean on = command.argEqualsIgnoreCase(2, "on");
    if (on || command.argEqualsIgnoreCase(2, "off")) {
      session.profile().noEvict(on);
      reply.status("OK");
    } else {
      reply.error(SYNTAX_ERROR);
    }
  }

  /** It is for all that comes by a connection to a node, which clients share. */
  static void noTouch(Command command, ReplyWriter reply) {
    if (command.argEqualsIgnoreCase(2, "off")) {
      reply.status("OK");
    } else {
      reply.error(command.argEqualsIgnoreCase(2, "on") ? NO_TOUCH : SYNTAX_ERROR);
    }
  }

  /** Redis's validateClientName: from {@code !} to {@code ~}. */
  static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= '!' && c <= '~');
  }
}
