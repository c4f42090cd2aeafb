package io.penstock.core.answer;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.Command;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;

/** Answers the commands about the client's own connection as Redis does. */
public final class LocalReplies {

  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
  private static final String NOT_AN_INT =
      "ERR value is out of range, value must between -2147483648 and 2147483647";
  private static final String NO_DATABASE = "ERR DB index is out of range";
  private static final String NO_SELECT = "ERR SELECT is not allowed in cluster mode";

  private final AnswerContext parts;
  private final Client client;
  private final ClientProfile profile;
  private final SessionControl control;
  private final Nodes nodes;
  private final Authentication authentication;
  private final ClientCommands clients;

  public LocalReplies(AnswerContext parts) {
    this.parts = parts;
    this.client = parts.context().client();
    this.profile = parts.profile();
    this.control = parts.control();
    this.nodes = parts.context().nodes();
    this.authentication = new Authentication(parts);
    this.clients = new ClientCommands(parts);
  }

  /** Answers the request; {@code spec} is the spec of its command. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest request) {
    Command command = request.command();
    if (which == LocalCommand.CLIENT_REPLY) {
      clients.setReplies(spec, request);
      return;
    }
    if (which == LocalCommand.RESET) {
      profile.endRepliesOff(); // RESET itself is answered
    }
    ReplySlot place = request.begin(spec);
    if (which == LocalCommand.QUIT) {
      client.drain(); // later requests are not read
    }
    ByteBuf reply = reply(which, command);
    boolean error = reply.getByte(0) == '-';
    place.deliverOwned(reply, error ? Outcome.REJECTED : Outcome.OK);
  }

  /** Returns whether a request must wait, and is handled again later. */
  public boolean mustWait(LocalCommand which, Command command) {
    return (which == LocalCommand.AUTH || which == LocalCommand.HELLO)
        && authentication.mustWait(which, command);
  }

  private ByteBuf reply(LocalCommand which, Command command) {
    if (which == LocalCommand.COMMAND) {
      return parts.answerLoop().commands().get().all(client.protocol());
    }
    return LocalAnswer.encode(out -> write(which, command, out));
  }

  private void write(LocalCommand which, Command command, ByteBuf out) {
    RequestFrame frame = command.frame();
    Protocol protocol = client.protocol();
    var reply = new ReplyWriter(out, protocol);
    var commands = parts.answerLoop().commands().get();
    switch (which) {
      case PING -> ping(frame, reply);
      case ECHO -> reply.bulk(frame.buffer(), frame.offset(1), frame.length(1));
      case QUIT -> reply.status("OK");
      case RESET -> {
        control.reset();
        reply.status("RESET");
      }
      case HELLO -> authentication.hello(command, out);
      case AUTH -> authentication.auth(frame, reply);
      case SELECT -> select(command, reply);
      case ACL_WHOAMI -> reply.bulk(profile.user().name());
      case COMMAND_COUNT -> commands.count(out);
      case COMMAND_INFO -> commands.info(frame, protocol, out);
      case COMMAND_LIST -> commands.list(frame, protocol, out);
      case COMMAND_GETKEYS -> commands.getKeys(frame, protocol, out);
      case CLIENT_ID -> reply.integer(client.id());
      case CLIENT_GETNAME -> clients.getName(reply);
      case CLIENT_SETNAME -> clients.setName(frame, reply);
      case CLIENT_SETINFO -> clients.setInfo(frame, reply);
      case CLIENT_INFO -> reply.verbatim(control.view().line() + "\n");
      case CLIENT_NO_EVICT -> clients.noEvict(command, reply);
      case CLIENT_NO_TOUCH -> ClientCommands.noTouch(command, reply);
      case CLIENT_CAPA -> clients.setCapabilities(command, reply);
      case CLIENT_IMPORT_SOURCE -> ClientCommands.importSource(command, reply);
      default -> throw new IllegalStateException(which + " is answered elsewhere");
    }
  }

  private void ping(RequestFrame frame, ReplyWriter reply) {
    if (control.isRestricted() && frame.argc() < 3) {
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
    } else if (database == parts.answerLoop().access().database()) {
      reply.status("OK");
    } else {
      boolean cluster =
          nodes.placement().isDivided() || parts.answerLoop().proxy().facade() != null;
      reply.error(cluster && database > 0 ? NO_SELECT : NO_DATABASE);
    }
  }
}
