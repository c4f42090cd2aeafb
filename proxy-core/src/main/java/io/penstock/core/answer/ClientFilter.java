package io.penstock.core.answer;

import io.penstock.core.client.ClientProfile;
import io.penstock.core.command.Command;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.tls.ListenerTls;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a {@code CLIENT LIST} or {@code CLIENT KILL}, parsed as in Redis's networking.c: of
 * a repeated option the last one counts. Parsed once, then applied on each client's loop.
 */
final class ClientFilter {

  static final String SYNTAX_ERROR = "ERR syntax error";

  private final Set<String> certificateUsers;
  private @Nullable Set<Long> ids; // null, as below: any
  private @Nullable String address;
  private @Nullable String localAddress;
  private Predicate<ListedClient> type = _ -> true;
  private long seconds; // minimum age
  private @Nullable String user;
  private boolean skipsCaller = true;

  /**
   * @param certificateUsers users that certificates of clients name; {@code *} for any
   */
  ClientFilter(Set<String> certificateUsers) {
    this.certificateUsers = certificateUsers;
  }

  boolean accepts(ListedClient client) {
    return (ids == null || ids.contains(client.id()))
        && type.test(client)
        && (address == null || client.address().equals(address))
        && (localAddress == null || client.listeningAddress().equals(localAddress))
        && (user == null || client.user().equals(user))
        && (seconds == 0 || client.ageSeconds() >= seconds);
  }

  /** Returns whether {@code CLIENT KILL} skips the client that sends it. */
  boolean skipsCaller() {
    return skipsCaller;
  }

  /**
   * Reads {@code CLIENT LIST [TYPE type | ID id …]}.
   *
   * @return the error, or null
   */
  @Nullable String readList(Command command) {
    int argc = command.argc();
    if (argc == 2) {
      return null;
    }
    if (argc == 4 && command.argEqualsIgnoreCase(2, "type")) {
      return readType(command.frame().text(3));
    }
    if (argc > 3 && command.argEqualsIgnoreCase(2, "id")) {
      return readIds(command);
    }
    return SYNTAX_ERROR;
  }

  private @Nullable String readIds(Command command) {
    Set<Long> listed = new HashSet<>();
    for (int i = 3; i < command.argc(); i++) {
      long id = command.argAsLong(i);
      if (id == Command.NOT_A_LONG) {
        return "ERR Invalid client ID";
      }
      listed.add(id);
    }
    ids = listed;
    return null;
  }

  /**
   * Reads {@code CLIENT KILL addr:port} or {@code CLIENT KILL option value …}.
   *
   * @return the error, or null
   */
  @Nullable String readKill(Command command) {
    if (command.argc() == 3) {
      address = command.frame().text(2);
      skipsCaller = false;
      return null;
    }
    for (int i = 2; i < command.argc(); i += 2) {
      String error = SYNTAX_ERROR;
      if (i + 1 < command.argc()) {
        String value = command.frame().text(i + 1);
        error = readOption(command.frame().text(i), value, command.argAsLong(i + 1));
      }
      if (error != null) {
        return error;
      }
    }
    return null;
  }

  /**
   * Returns the filter for options of {@code CLIENT KILL} that do not come from a client, such as
   * {@code user} and its name. Any user may be named.
   *
   * @throws IllegalArgumentException if an option is unknown or its value is not valid
   */
  static ClientFilter ofKill(Map<String, String> options) {
    var filter = new ClientFilter(Set.of(ListenerTls.ANY_USER));
    options.forEach((option, value) -> {
      String error = filter.readOption(option, value, asLong(value));
      if (error != null) {
        throw new IllegalArgumentException(error.substring("ERR ".length()));
      }
    });
    return filter;
  }

  private static long asLong(String value) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException _) {
      return Command.NOT_A_LONG;
    }
  }

  /**
   * @param number the value as an integer, or {@link Command#NOT_A_LONG}
   */
  private @Nullable String readOption(String option, String value, long number) {
    switch (option.toLowerCase(Locale.ROOT)) {
      case "id" -> {
        if (number < 1) {
          return "ERR client-id should be greater than 0";
        }
        ids = Set.of(number);
      }
      case "type" -> {
        return readType(value);
      }
      case "addr" -> address = value;
      case "laddr" -> localAddress = value;
      case "user" -> {
        if (!isUser(value)) {
          return "ERR No such user " + ErrorReplies.quoted(value);
        }
        user = value;
      }
      case "skipme" -> {
        skipsCaller = value.equalsIgnoreCase("yes");
        return skipsCaller || value.equalsIgnoreCase("no") ? null : SYNTAX_ERROR;
      }
      case "maxage" -> {
        seconds = number;
        if (seconds < 1) {
          return "ERR maxage is not an integer or out of range";
        }
      }
      default -> {
        return SYNTAX_ERROR;
      }
    }
    return null;
  }

  private boolean isUser(String name) {
    return name.equals(ClientProfile.DEFAULT_USER)
        || certificateUsers.contains(name)
        || certificateUsers.contains(ListenerTls.ANY_USER);
  }

  private @Nullable String readType(String name) {
    switch (name.toLowerCase(Locale.ROOT)) {
      case "normal" -> type = client -> !client.isSubscriber();
      case "pubsub" -> type = ListedClient::isSubscriber;
      case "master", "replica", "slave" -> type = _ -> false;
      default -> {
        return "ERR Unknown client type " + ErrorReplies.quoted(name);
      }
    }
    return null;
  }
}
