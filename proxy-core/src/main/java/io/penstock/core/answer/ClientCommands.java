package io.penstock.core.answer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.Command;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.ProxyChain;
import java.nio.charset.StandardCharsets;

/**
 * Answers the subcommands of {@code CLIENT} about the client itself, as Redis's networking.c does.
 */
final class ClientCommands {

  static final String BAD_NAME =
      "ERR Client names cannot contain spaces, newlines or special characters.";
  private static final String SYNTAX_ERROR = "ERR syntax error";
  private static final String NO_TOUCH =
      "ERR CLIENT NO-TOUCH is not supported by this proxy: clients share its connections to nodes";

  private final Client client;
  private final ClientProfile profile;
  private final Allowance account;
  private final AnswerLoop.Access access;

  ClientCommands(AnswerContext parts) {
    this.client = parts.context().client();
    this.access = parts.answerLoop().access();
    this.profile = parts.profile();
    this.account = parts.context().account();
  }

  /**
   * Sets the reply mode. Neither OFF nor SKIP is answered; SKIP also drops the reply to the next
   * request.
   */
  void setReplies(CommandSpec spec, IncomingRequest request) {
    Command command = request.command();
    if (command.argEqualsIgnoreCase(2, "on")) {
      profile.repliesOn();
      respond(request.begin(spec), "+OK\r\n");
    } else if (command.argEqualsIgnoreCase(2, "off")) {
      profile.repliesOff();
      respond(request.begin(spec), "");
    } else if (command.argEqualsIgnoreCase(2, "skip")) {
      ReplySlot silent = request.begin(spec);
      profile.skipNextReply();
      respond(silent, "");
    } else {
      request.begin(spec).answer(ErrorReplies.encode(SYNTAX_ERROR), Outcome.REJECTED);
    }
  }

  private static void respond(ReplySlot request, String reply) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer();
    bytes.writeCharSequence(reply, StandardCharsets.US_ASCII);
    request.deliverOwned(bytes, Outcome.OK);
  }

  void getName(ReplyWriter reply) {
    String name = profile.name();
    if (name.isEmpty()) {
      reply.nil();
    } else {
      reply.bulk(name);
    }
  }

  /** Sets the name. Another Penstock is told, or rejected: see {@link ProxyChain}. */
  void setName(RequestFrame frame, ReplyWriter reply) {
    String name = frame.text(2);
    if (!isPrintable(name)) {
      reply.error(BAD_NAME);
      return;
    }
    String penstock = ProxyChain.idIn(name);
    if (access.chain().leadsTo(penstock)) {
      access.clientLog().leadsBack(client);
      reply.error(ProxyChain.REFUSAL);
      return;
    }
    profile.name(name);
    account.checkLater();
    reply.status(penstock == null ? "OK" : access.chain().answer());
  }

  void setInfo(RequestFrame frame, ReplyWriter reply) {
    String option = frame.text(2);
    String value = frame.text(3);
    boolean name = option.equalsIgnoreCase("lib-name");
    if (!name && !option.equalsIgnoreCase("lib-ver")) {
      reply.error("ERR Unrecognized option " + ErrorReplies.quoted(option));
    } else if (!isPrintable(value)) {
      reply.error("ERR " + option + " cannot contain spaces, newlines or special characters.");
    } else {
      if (name) {
        profile.libraryName(value);
      } else {
        profile.libraryVersion(value);
      }
      account.checkLater();
      reply.status("OK");
    }
  }

  /** Notes what the client says it can do. Servers ignore what they do not know. */
  void setCapabilities(Command command, ReplyWriter reply) {
    for (int i = 2; i < command.argc(); i++) {
      if (command.argEqualsIgnoreCase(i, "redirect")) {
        profile.canFollowRedirects();
      }
    }
    reply.status("OK");
  }

  void noEvict(Command command, ReplyWriter reply) {
    boolean on = command.argEqualsIgnoreCase(2, "on");
    if (on || command.argEqualsIgnoreCase(2, "off")) {
      profile.noEvict(on);
      reply.status("OK");
    } else {
      reply.error(SYNTAX_ERROR);
    }
  }

  /**
   * Rejects {@code CLIENT NO-TOUCH ON}: it would apply to a connection to a node, which clients
   * share.
   */
  static void noTouch(Command command, ReplyWriter reply) {
    if (command.argEqualsIgnoreCase(2, "off")) {
      reply.status("OK");
    } else {
      reply.error(command.argEqualsIgnoreCase(2, "on") ? NO_TOUCH : SYNTAX_ERROR);
    }
  }

  /**
   * Answers {@code CLIENT IMPORT-SOURCE} as a server that is not in import mode. The mode of nodes
   * does not matter: it concerns connections to them, which clients share.
   */
  static void importSource(Command command, ReplyWriter reply) {
    if (command.argEqualsIgnoreCase(2, "off")) {
      reply.status("OK");
    } else {
      reply.error("ERR Server is not in import mode");
    }
  }

  /**
   * Returns whether all characters are from {@code !} to {@code ~}, as Redis's validateClientName
   * does.
   */
  static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= '!' && c <= '~');
  }
}
