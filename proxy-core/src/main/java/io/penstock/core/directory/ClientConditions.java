package io.penstock.core.directory;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.User;
import io.penstock.core.command.Command;
import io.penstock.core.command.ServerFacts;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplyStrings;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that options of {@code CLIENT LIST} and {@code CLIENT KILL} stand for, with the
 * error texts of servers. Options are in lower case.
 */
final class ClientConditions {

  static final String BAD_ID = "ERR client-id should be greater than 0";

  private static final String NOT = "not-";

  /** Options of all versions; {@code maxage} came later, and is there with any server. */
  private static final Set<String> BASIC = Set.of("id", "type", "addr", "laddr", "user", "maxage");

  /** Further options of Valkey 9. */
  private static final Set<String> NEWER =
      Set.of("name", "db", "lib-name", "lib-ver", "idle", "flags", "capa", "ip");

  /** Options without a form that begins with {@code not-}. */
  private static final Set<String> ONLY_POSITIVE = Set.of("maxage", "idle");

  /** The letters that Valkey has for clients, including those that no client of Penstock has. */
  private static final String FLAGS = "bcdeirtuxABEIMNOPRSTU";

  private static final String CAPABILITIES = "r";

  private final Predicate<String> users;
  private final boolean newer;
  private final boolean primaries;

  /**
   * @param users whether there may be a user of this name
   */
  ClientConditions(Predicate<String> users, ServerFacts servers) {
    this.users = users;
    this.newer = servers.isValkey(9, 0);
    this.primaries = servers.isValkey(8, 0);
  }

  /** Returns whether servers know the option. */
  boolean has(String option) {
    if (!newer) {
      return BASIC.contains(option);
    }
    String field = field(option);
    return (BASIC.contains(field) || NEWER.contains(field))
        && (field.equals(option) || !ONLY_POSITIVE.contains(field));
  }

  /**
   * Returns the error of an option's value, or null.
   *
   * @param number the value as an integer, or {@link Command#NOT_A_LONG}
   */
  @Nullable String error(String option, String value, long number) {
    return switch (field(option)) {
      case "id" -> number < 1 ? BAD_ID : null;
      case "type" -> isType(value) ? null : "ERR Unknown client type " + ErrorReplies.quoted(value);
      case "user" -> isUser(value) ? null : "ERR No such user " + ErrorReplies.quoted(value);
      case "maxage", "idle" -> durationError(option, number);
      case "db" -> databaseError(option.toUpperCase(Locale.ROOT), number);
      case "flags" -> unknownLetters(option, value, FLAGS);
      case "capa" -> unknownLetters(option, value, CAPABILITIES);
      default -> null;
    };
  }

  private boolean isType(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "normal", "pubsub", "master", "replica", "slave" -> true;
      case "primary" -> primaries;
      default -> false;
    };
  }

  private boolean isUser(String name) {
    return name.equals(User.DEFAULT.name()) || users.test(name);
  }

  private static @Nullable String durationError(String option, long seconds) {
    if (seconds == Command.NOT_A_LONG) {
      return "ERR " + option + " is not an integer or out of range";
    }
    return seconds < 1 ? "ERR " + option + " should be greater than 0" : null;
  }

  private static @Nullable String databaseError(String option, long number) {
    if (number != (int) number) {
      return "ERR " + option + " is not an integer or out of range";
    }
    return number < 0 || number > ConnectionKey.MAX_DATABASE
        ? "ERR " + option + " number should be between 0 and " + ConnectionKey.MAX_DATABASE
        : null;
  }

  private static @Nullable String unknownLetters(String option, String letters, String known) {
    String filter = option.startsWith(NOT) ? option.toUpperCase(Locale.ROOT) : "provided";
    String what = field(option);
    return containsAll(known, letters)
        ? null
        : "ERR Unknown %s found in the %s filter: %s"
            .formatted(what, filter, ReplyStrings.cString(letters));
  }

  private static String field(String option) {
    return option.startsWith(NOT) ? option.substring(NOT.length()) : option;
  }

  /**
   * Returns the condition of an option whose value is valid.
   *
   * @param number the value as an integer, or {@link Command#NOT_A_LONG}
   */
  static Predicate<ListedClient> of(String option, String value, long number) {
    Predicate<ListedClient> condition = positive(field(option), value, number);
    return option.startsWith(NOT) ? condition.negate() : condition;
  }

  private static Predicate<ListedClient> positive(String field, String value, long number) {
    return switch (field) {
      case "id" -> client -> client.id() == number;
      case "type" -> type(value);
      case "addr" -> client -> client.address().equals(value);
      case "laddr" -> client -> client.listeningAddress().equals(value);
      case "ip" -> client -> ip(client.address()).equals(value);
      case "user" -> client -> client.profile().user().name().equals(value);
      case "maxage" -> client -> client.ageSeconds() >= number;
      case "idle" -> client -> client.idleSeconds() >= number;
      case "db" -> client -> client.databaseNumber() == number;
      case "name" -> client -> isSetTo(value, client.profile().name());
      case "lib-name" -> client -> isSetTo(value, client.profile().libraryName());
      case "lib-ver" -> client -> isSetTo(value, client.profile().libraryVersion());
      case "flags" -> client -> containsAll(client.flags(), value);
      case "capa" -> client -> containsAll(client.profile().capabilities(), value);
      default -> throw new IllegalArgumentException("unknown option: " + field);
    };
  }

  private static Predicate<ListedClient> type(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "normal" -> client -> !client.isSubscriber();
      case "pubsub" -> ListedClient::isSubscriber;
      default -> _ -> false; // servers are not clients of Penstock
    };
  }

  /** Returns whether a client has set a name and it is this one. An empty name is none. */
  private static boolean isSetTo(String value, String name) {
    return !name.isEmpty() && name.equals(value);
  }

  private static boolean containsAll(String all, String letters) {
    return letters.chars().allMatch(letter -> all.indexOf(letter) >= 0);
  }

  /** Returns the address without its port and without the brackets of IPv6. */
  private static String ip(String address) {
    String host = address.substring(0, address.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}
