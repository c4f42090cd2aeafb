package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.observe.Outcome;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import java.nio.charset.StandardCharsets;

/** The commands that concern the client's own connection, answered here in Redis's words. */
final class LocalReplies {

  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
  private static final String NOT_AN_INT =
      "ERR value is out of range, value must between -2147483648 and 2147483647";
  private static final String NO_DATABASE = "ERR DB index is out of range";
  private static final String NO_SELECT = "ERR SELECT is not allowed in cluster mode";

  private final Session session;
  private final Authentication authentication;
  private final ClientCommands clients;

  LocalReplies(Session session) {
    this.session = session;
    this.authentication = new Authentication(session);
    this.clients = new ClientCommands(session);
  }

  /** Answers the request in {@code command}, whose spec is {@code spec}. */
  void answer(CommandSpec spec, LocalCommand which, Command command) {
    if (which == LocalCommand.CLIENT_REPLY) {
      clients.setReplies(spec, command);
      return;
    }
    if (which == LocalCommand.RESET) {
      session.profile().endRepliesOff(); // its own reply is given again
    }
    Request request = session.intake().begin(spec);
    if (which == LocalCommand.QUIT) {
      session.drain(); // what comes behind it is not read any more
    }
    ByteBuf reply = reply(which, command);
    boolean error = reply.getByte(0) == '-';
    request.deliverOwned(reply, error ? Outcome.REJECTED : Outcome.OK);
  }

  private ByteBuf reply(LocalCommand which, Command command) {
    if (which == LocalCommand.COMMAND) {
      return session.loop().commandReplies().all(session.profile().protocol());
    }
    return LocalAnswer.made(out -> write(which, command, out));
  }

  private void write(LocalCommand which, Command command, ByteBuf out) {
    RequestFrame frame = command.frame();
    Protocol protocol = session.profile().protocol();
    var reply = new ReplyWriter(out, protocol);
    var commands = session.loop().commandReplies();
    switch (which) {
      case PING -> ping(frame, reply);
      case ECHO -> reply.bulk(frame.buffer(), frame.offset(1), frame.length(1));
      case QUIT -> reply.status("OK");
      case RESET -> {
        session.reset();
        reply.status("RESET");
      }
      case HELLO -> authentication.hello(command, out);
      case AUTH -> authentication.auth(frame, reply);
      case SELECT -> select(command, reply);
      case ACL_WHOAMI -> reply.bulk(Authentication.DEFAULT_USER);
      case COMMAND_COUNT -> commands.count(out);
      case COMMAND_INFO -> commands.info(frame, protocol, out);
      case COMMAND_LIST -> commands.list(frame, protocol, out);
      case COMMAND_GETKEYS -> commands.getKeys(frame, protocol, out);
      case CLIENT_ID -> reply.integer(session.id());
      case CLIENT_GETNAME -> clients.getName(reply);
      case CLIENT_SETNAME -> clients.setName(frame, reply);
      case CLIENT_SETINFO -> clients.setInfo(frame, reply);
      case CLIENT_INFO -> reply.verbatim(ClientLine.of(session) + "\n");
      case CLIENT_NO_EVICT -> clients.noEvict(command, reply);
      case CLIENT_NO_TOUCH -> ClientCommands.noTouch(command, reply);
      case CLIENT_CAPA -> reply.status("OK"); // servers ignore what they do not know
      default -> throw new IllegalStateException(which + " is answered elsewhere");
    }
  }

  private void ping(RequestFrame frame, ReplyWriter reply) {
    Subscriptions subscriptions = session.intake().subscriptions();
    if (subscriptions != null && subscriptions.isRestricted() && frame.argc() < 3) {
      reply.array(2);
      reply.bulk("pong");
      if (frame.argc() == 1) {
        reply.bulk("");
        return;
      }
    }
    switch (frame.argc()) {
      case 1 -> reply.status("PONG");
      case 2 -> reply.bulk(frame.buffer(), frame.offset(1), frame.length(1));
      default -> reply.error("ERR wrong number of arguments for 'ping' command");
    }
  }

  private void select(Command command, ReplyWriter reply) {
    long database = command.argAsLong(1);
    if (database == Command.NOT_A_LONG) {
      reply.error(NOT_AN_INTEGER);
    } else if (database != (int) database) {
      reply.error(NOT_AN_INT);
    } else if (database == session.loop().settings().database()) {
      reply.status("OK");
    } else {
      boolean cluster =
          session.loop().isSharded() || session.loop().settings().face().facade() != null;
      reply.error(cluster && database > 0 ? NO_SELECT : NO_DATABASE);
    }
  }

  /** An argument as C's string functions see it, with which Redis writes it: to its first NUL. */
  static String cString(String argument) {
    int nul = argument.indexOf('\0');
    return nul < 0 ? argument : argument.substring(0, nul);
  }

  /** An argument's bytes as characters, one to one. */
  static String text(RequestFrame frame, int argument) {
    return frame
        .buffer()
        .toString(frame.offset(argument), frame.length(argument), StandardCharsets.ISO_8859_1);
  }
}
