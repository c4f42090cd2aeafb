package io.penstock.core.answer;

import io.netty.buffer.ByteBuf;
import io.penstock.core.acl.AclRuleException;
import io.penstock.core.acl.AclRules;
import io.penstock.core.acl.AclSelector;
import io.penstock.core.acl.AclText;
import io.penstock.core.acl.AclUser;
import io.penstock.core.acl.AclWords;
import io.penstock.core.acl.Denial;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientProfile;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandErrors;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.ServerWords;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.users.AclFiles;
import io.penstock.core.users.AclLog;
import io.penstock.core.users.KnownUser;
import io.penstock.core.users.UserList;
import io.penstock.core.users.Users;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the subcommands of {@code ACL} about the users of Penstock, as Redis's acl.c does. On the
 * client's loop; files are read and written elsewhere.
 */
public final class AclReplies {

  private static final int DEFAULT_ENTRIES = 10;
  private static final int DEFAULT_BITS = 256;
  private static final int MOST_BITS = 4096;
  private static final int BITS_PER_DIGIT = 4;
  private static final int GETUSER_FIELDS = 6;
  private static final String BITS_ERROR =
      "ERR ACL GENPASS argument must be the number of bits for the output password,"
          + " a positive number up to "
          + MOST_BITS;
  private static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";
  private static final String BAD_NAME = "ERR Usernames can't contain spaces or null characters";

  private static final String[] HELP = {
    "ACL <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "CAT [<category>]",
    "    List all commands that belong to <category>, or all command categories",
    "    when no category is specified.",
    "DELUSER <username> [<username> ...]",
    "    Delete a list of users.",
    "DRYRUN <username> <command> [<arg> ...]",
    "    Returns whether the user can execute the given command without executing the command.",
    "GETUSER <username>",
    "    Get the user's details.",
    "GENPASS [<bits>]",
    "    Generate a secure 256-bit user password. The optional `bits` argument can",
    "    be used to specify a different size.",
    "LIST",
    "    Show users details in config file format.",
    "LOAD",
    "    Reload users from the ACL file.",
    "LOG [<count> | RESET]",
    "    Show the ACL log entries.",
    "SAVE",
    "    Save the current config to the ACL file.",
    "SETUSER <username> <attribute> [<attribute> ...]",
    "    Create or modify a user with the specified attributes.",
    "USERS",
    "    List all the registered usernames.",
    "WHOAMI",
    "    Return the current connection username.",
    "HELP"
  };

  private final AnswerContext parts;
  private final Client client;
  private final ClientProfile profile;
  private final RequestReader reader;
  private final Users users;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param users what the commands show and change
   */
  public AclReplies(AnswerContext parts, Users users) {
    this.parts = parts;
    this.client = parts.context().client();
    this.profile = parts.profile();
    this.reader = parts.context().reader();
    this.users = users;
  }

  /** Answers the request; {@code spec} is the spec of its command. */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest request) {
    Command command = request.command();
    ReplySlot place = request.begin(spec);
    switch (which) {
      case ACL_LOAD -> file(place, AclFiles.load(users, table()));
      case ACL_SAVE -> file(place, AclFiles.save(users));
      default -> {
        ByteBuf reply =
            LocalAnswer.encode(
                out -> write(which, command, new ReplyWriter(out, client.protocol())));
        boolean error = reply.getByte(0) == '-';
        place.deliverOwned(reply, error ? Outcome.REJECTED : Outcome.OK);
      }
    }
  }

  /**
   * Answers when a file is read or written.
   *
   * @param result completes with the error, or an empty text
   */
  private void file(ReplySlot place, CompletionStage<String> result) {
    client.suspend(place);
    LocalAnswer.whenComplete(
        result,
        parts.context(),
        error -> {
          client.resume(place);
          LocalAnswer.send(
              place,
              client.protocol(),
              reply -> {
                if (error.isEmpty()) {
                  reply.status("OK");
                } else {
                  reply.error("ERR " + error);
                }
              });
        });
  }

  private CommandTable table() {
    return reader.servers().commands();
  }

  private void write(LocalCommand which, Command command, ReplyWriter reply) {
    switch (which) {
      case ACL_CAT -> categories(command, reply);
      case ACL_DELUSER -> delete(command.frame(), reply);
      case ACL_DRYRUN -> dryRun(command.frame(), reply);
      case ACL_GENPASS -> password(command, reply);
      case ACL_GETUSER -> show(users.now().find(command.frame().text(2)), reply);
      case ACL_HELP -> help(reply);
      case ACL_LIST -> list(reply);
      case ACL_LOG -> log(command, reply);
      case ACL_SETUSER -> set(command.frame(), reply);
      case ACL_USERS -> names(reply);
      default -> throw new IllegalStateException(which + " is answered elsewhere");
    }
  }

  private static void syntaxError(Command command, ReplyWriter reply) {
    String name = ReplyStrings.cString(command.frame().text(1));
    reply.error(
        "ERR unknown subcommand or wrong number of arguments for '" + name + "'. Try ACL HELP.");
  }

  private void categories(Command command, ReplyWriter reply) {
    RequestFrame frame = command.frame();
    if (frame.argc() == 2) {
      reply.array(AclCategory.values().length);
      for (AclCategory each : AclCategory.values()) {
        reply.bulk(each.wireName());
      }
    } else if (frame.argc() > 3) {
      syntaxError(command, reply);
    } else {
      commands(frame.text(2), reply);
    }
  }

  private void commands(String category, ReplyWriter reply) {
    String wanted = category.toLowerCase(Locale.ROOT);
    boolean known =
        Arrays.stream(AclCategory.values()).anyMatch(each -> each.wireName().equals(wanted));
    if (!known) {
      reply.error("ERR Unknown category '" + ReplyStrings.cString(category) + "'");
      return;
    }
    List<String> names = new ArrayList<>();
    for (CommandSpec spec : table().specs()) {
      if (table().knows(spec.name()) && isIn(spec, wanted)) {
        names.add(spec.wireName());
      }
    }
    reply.array(names.size());
    names.forEach(reply::bulk);
  }

  private static boolean isIn(CommandSpec spec, String category) {
    return spec.aclCategories().stream().anyMatch(each -> each.wireName().equals(category));
  }

  private void set(RequestFrame frame, ReplyWriter reply) {
    String name = frame.text(2);
    if (!AclRules.isUserName(name)) {
      reply.error(BAD_NAME);
      return;
    }
    try {
      users.set(name, texts(frame, 3), table());
      reply.status("OK");
    } catch (AclRuleException e) {
      reply.error("ERR " + e.getMessage());
    }
  }

  private static List<String> texts(RequestFrame frame, int from) {
    List<String> texts = new ArrayList<>();
    for (int i = from; i < frame.argc(); i++) {
      texts.add(frame.text(i));
    }
    return texts;
  }

  private void delete(RequestFrame frame, ReplyWriter reply) {
    List<String> names = texts(frame, 2);
    int first = names.indexOf(UserList.DEFAULT);
    int deleted = users.delete(first < 0 ? names : names.subList(0, first));
    if (users.now().find(profile.user().name()) == null) {
      client.drain(); // closed after this reply
    }
    if (first < 0) {
      reply.integer(deleted);
    } else {
      reply.error("ERR The 'default' user cannot be removed");
    }
  }

  private void dryRun(RequestFrame frame, ReplyWriter reply) {
    String name = frame.text(2);
    KnownUser user = users.now().find(name);
    if (user == null) {
      reply.error("ERR User '" + ReplyStrings.cString(name) + "' not found");
      return;
    }
    Command wanted = reader.read(WireRequest.of(texts(frame, 3)));
    CommandSpec spec = wanted.spec();
    if (spec == null || wanted.isUnknownSubcommand()) {
      reply.error("ERR Command '" + ReplyStrings.cString(frame.text(3)) + "' not found");
    } else if (!spec.acceptsArity(wanted.argc())) {
      reply.error(CommandErrors.wrongArity(spec));
    } else {
      Denial denial = user.permissions(table()).denialByRules(wanted);
      if (denial == null) {
        reply.status("OK");
      } else {
        reply.bulk(AclWords.dryRun(denial, user.name(), reader.servers()));
      }
    }
  }

  private void password(Command command, ReplyWriter reply) {
    long bits = command.argc() > 2 ? command.argAsLong(2) : DEFAULT_BITS;
    if (command.argc() > 3) {
      syntaxError(command, reply);
    } else if (bits == Command.NOT_A_LONG) {
      reply.error(NOT_AN_INTEGER);
    } else if (bits <= 0 || bits > MOST_BITS) {
      reply.error(BITS_ERROR);
    } else {
      int digits = (int) (bits + BITS_PER_DIGIT - 1) / BITS_PER_DIGIT;
      byte[] bytes = new byte[digits / 2 + 1];
      random.nextBytes(bytes);
      reply.bulk(HexFormat.of().formatHex(bytes).substring(0, digits));
    }
  }

  private void list(ReplyWriter reply) {
    var all = users.now().all();
    reply.array(all.size());
    all.forEach(user -> reply.bulk(AclText.line(user.acl())));
  }

  private void names(ReplyWriter reply) {
    var all = users.now().all();
    reply.array(all.size());
    all.forEach(user -> reply.bulk(user.name()));
  }

  private static void show(@Nullable KnownUser known, ReplyWriter reply) {
    if (known == null) {
      reply.nil();
      return;
    }
    AclUser user = known.acl();
    reply.map(GETUSER_FIELDS);
    reply.bulk("flags");
    List<String> flags = AclText.flags(user);
    reply.set(flags.size());
    flags.forEach(reply::bulk);
    reply.bulk("passwords");
    reply.array(user.passwords().size());
    user.passwords().forEach(reply::bulk);
    show(user.selectors().getFirst(), reply);
    List<AclSelector> others = user.selectors().subList(1, user.selectors().size());
    reply.bulk("selectors");
    reply.array(others.size());
    for (AclSelector selector : others) {
      reply.map(3);
      show(selector, reply);
    }
  }

  private static void show(AclSelector selector, ReplyWriter reply) {
    reply.bulk("commands");
    reply.bulk(AclText.commands(selector));
    reply.bulk("keys");
    reply.bulk(AclText.keys(selector));
    reply.bulk("channels");
    reply.bulk(AclText.channels(selector));
  }

  private void help(ReplyWriter reply) {
    reply.array(HELP.length + 1);
    for (String line : HELP) {
      reply.status(line);
    }
    reply.status(ServerWords.lastLineOfHelp(reader.servers()));
  }

  private void log(Command command, ReplyWriter reply) {
    long count = DEFAULT_ENTRIES;
    if (command.argc() > 3) {
      syntaxError(command, reply);
      return;
    }
    if (command.argc() == 3) {
      if (command.argEqualsIgnoreCase(2, "reset")) {
        users.log().clear();
        reply.status("OK");
        return;
      }
      count = command.argAsLong(2);
      if (count == Command.NOT_A_LONG) {
        reply.error(NOT_AN_INTEGER);
        return;
      }
    }
    long now = System.currentTimeMillis();
    List<AclLog.Entry> entries = users.log().latest(count);
    reply.array(entries.size());
    entries.forEach(entry -> write(entry, now, reply));
  }

  private void write(AclLog.Entry entry, long now, ReplyWriter reply) {
    boolean newer = ServerWords.isSinceRedis72(reader.servers());
    AclLog.Event event = entry.event();
    reply.map(newer ? 10 : 7);
    reply.bulk("count");
    reply.integer(entry.count());
    reply.bulk("reason");
    reply.bulk(event.reason());
    reply.bulk("context");
    reply.bulk(event.inTransaction() ? "multi" : "toplevel");
    reply.bulk("object");
    reply.bulk(event.object());
    reply.bulk("username");
    reply.bulk(event.user());
    reply.bulk("age-seconds");
    reply.decimal((now - entry.updated()) / (double) TimeUnit.SECONDS.toMillis(1));
    reply.bulk("client-info");
    reply.bulk(event.client());
    if (newer) {
      reply.bulk("entry-id");
      reply.integer(entry.id());
      reply.bulk("timestamp-created");
      reply.integer(entry.created());
      reply.bulk("timestamp-last-updated");
      reply.integer(entry.updated());
    }
  }
}
