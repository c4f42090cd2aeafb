package io.penstock.core.session;

import io.penstock.core.command.Command;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which clients a {@code CLIENT LIST} or {@code CLIENT KILL} is about, as Redis's networking.c
 * reads it. Read once, then asked on each client's loop.
 */
final class ClientFilter {

  static final String SYNTAX_ERROR = "ERR syntax error";
  private static final String THE_USER = "default";

  private Predicate<Session> accepts = _ -> true;
  private boolean skipsCaller = true;

  boolean accepts(Session client) {
    return accepts.test(client);
  }

  /** Whether {@code CLIENT KILL} spares the client that sends it. */
  boolean skipsCaller() {
    return skipsCaller;
  }

  /**
   * Reads {@code CLIENT LIST [TYPE type | ID id …]}.
   *
   * @return what is wrong with it, or null
   */
  @Nullable String readList(Command command) {
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

  private @Nullable String readIds(Command command) {
    Set<Long> ids = new HashSet<>();
    for (int i = 3; i < command.argc(); i++) {
      long id = command.argAsLong(i);
      if (id == Command.NOT_A_LONG) {
        return "ERR Invalid client ID";
      }
      ids.add(id);
    }
    and(client -> ids.contains(client.id()));
    return null;
  }

  /**
   * Reads {@code CLIENT KILL addr:port} or {@code CLIENT KILL option value …}.
   *
   * @return what is wrong with it, or null
   */
  @Nullable String readKill(Command command) {
    if (command.argc() == 3) {
      String address = LocalReplies.text(command.frame(), 2);
      and(client -> ClientLine.address(client).equals(address));
      skipsCaller = false;
      return null;
    }
    for (int i = 2; i < command.argc(); i += 2) {
      String error = i + 1 < command.argc() ? readOption(command, i) : SYNTAX_ERROR;
      if (error != null) {
        return error;
      }
    }
    return null;
  }

  private @Nullable String readOption(Command command, int i) {
    String value = LocalReplies.text(command.frame(), i + 1);
    switch (LocalReplies.text(command.frame(), i).toLowerCase(Locale.ROOT)) {
      case "id" -> {
        long id = command.argAsLong(i + 1);
        if (id < 1) {
          return "ERR client-id should be greater than 0";
        }
        and(client -> client.id() == id);
      }
      case "type" -> {
        return readType(value);
      }
      case "addr" -> and(client -> ClientLine.address(client).equals(value));
      case "laddr" -> and(client -> ClientLine.localAddress(client).equals(value));
      case "user" -> {
        if (!value.equals(THE_USER)) {
          return "ERR No such user " + ErrorReplies.quoted(value);
        }
      }
      case "skipme" -> {
        skipsCaller = value.equalsIgnoreCase("yes");
        return skipsCaller || value.equalsIgnoreCase("no") ? null : SYNTAX_ERROR;
      }
      case "maxage" -> {
        long seconds = command.argAsLong(i + 1);
        if (seconds < 1) {
          return "ERR maxage is not an integer or out of range";
        }
        and(client -> ClientLine.age(client) >= seconds);
      }
      default -> {
        return SYNTAX_ERROR;
      }
    }
    return null;
  }

  private @Nullable String readType(String type) {
    switch (type.toLowerCase(Locale.ROOT)) {
      case "normal" -> and(client -> !Subscriptions.isSubscriber(client));
      case "pubsub" -> and(Subscriptions::isSubscriber);
      case "master", "replica", "slave" -> and(_ -> false);
      default -> {
        return "ERR Unknown client type " + ErrorReplies.quoted(type);
      }
    }
    return null;
  }

  private void and(Predicate<Session> more) {
    accepts = accepts.and(more);
  }
}
