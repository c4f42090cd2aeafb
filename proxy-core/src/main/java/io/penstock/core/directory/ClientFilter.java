package io.penstock.core.directory;

import io.penstock.core.command.Command;
import io.penstock.core.command.ServerFacts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a {@code CLIENT LIST} or {@code CLIENT KILL}, parsed as the networking.c of the
 * servers behind does: Valkey has one syntax for both since 8.1, and more options since 9.0. All
 * conditions must be met; of a repeated option the last one counts. Parsed once, then applied on
 * each client's loop.
 */
public final class ClientFilter {

  public static final String SYNTAX_ERROR = "ERR syntax error";

  private static final String ID = "id";
  private static final String NOT_ID = "not-id";

  private final ClientConditions known;
  private final boolean oneSyntax;
  private final Map<String, Predicate<ListedClient>> conditions = new HashMap<>(); // by option
  private boolean skipsCaller;

  /**
   * @param users whether there may be a user of this name
   * @param servers that decide which options there are
   */
  public ClientFilter(Predicate<String> users, ServerFacts servers) {
    this.known = new ClientConditions(users, servers);
    this.oneSyntax = servers.isValkey(8, 1);
  }

  public boolean accepts(ListedClient client) {
    for (Predicate<ListedClient> condition : conditions.values()) {
      if (!condition.test(client)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the client that sends the command is left out. */
  public boolean skipsCaller() {
    return skipsCaller;
  }

  /**
   * Reads {@code CLIENT LIST [TYPE type | ID id …]}, or {@code CLIENT LIST [option value …]}.
   *
   * @return the error, or null
   */
  public @Nullable String readList(Command command) {
    int argc = command.argc();
    if (argc == 2) {
      return null;
    }
    if (oneSyntax) {
      return argc == 3 ? SYNTAX_ERROR : readOptions(command);
    }
    if (argc == 4 && command.argEqualsIgnoreCase(2, "type")) {
      return readOption("type", command.frame().text(3), Command.NOT_A_LONG);
    }
    if (argc > 3 && command.argEqualsIgnoreCase(2, ID)) {
      return readListedIds(command);
    }
    return SYNTAX_ERROR;
  }

  private @Nullable String readListedIds(Command command) {
    Set<Long> listed = new HashSet<>();
    for (int i = 3; i < command.argc(); i++) {
      long id = command.argAsLong(i);
      if (id == Command.NOT_A_LONG) {
        return "ERR Invalid client ID";
      }
      listed.add(id);
    }
    conditions.put(ID, client -> listed.contains(client.id()));
    return null;
  }

  /**
   * Reads {@code CLIENT KILL addr:port} or {@code CLIENT KILL option value …}.
   *
   * @return the error, or null
   */
  public @Nullable String readKill(Command command) {
    if (command.argc() == 3) {
      return readOption("addr", command.frame().text(2), Command.NOT_A_LONG);
    }
    skipsCaller = true;
    return readOptions(command);
  }

  private @Nullable String readOptions(Command command) {
    Map<String, Set<Long>> ids = new HashMap<>(); // those of a repeated option are added
    for (int i = 2; i < command.argc(); ) {
      String option = command.frame().text(i).toLowerCase(Locale.ROOT);
      i++;
      String error = SYNTAX_ERROR;
      if (oneSyntax && (option.equals(ID) || (option.equals(NOT_ID) && known.has(option)))) {
        Set<Long> listed = ids.computeIfAbsent(option, _ -> new HashSet<>());
        boolean which = option.equals(ID);
        conditions.put(option, client -> listed.contains(client.id()) == which);
        error = null;
        for (; i < command.argc() && command.argAsLong(i) != Command.NOT_A_LONG; i++) {
          error = command.argAsLong(i) < 1 ? ClientConditions.BAD_ID : error;
          listed.add(command.argAsLong(i));
        }
      } else if (i < command.argc()) {
        error = readOption(option, command.frame().text(i), command.argAsLong(i));
        i++;
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
   * @param servers that decide which options there are
   * @throws IllegalArgumentException if an option is unknown or its value is not valid
   */
  static ClientFilter ofKill(Map<String, String> options, ServerFacts servers) {
    var filter = new ClientFilter(_ -> true, servers);
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
  private @Nullable String readOption(String name, String value, long number) {
    String option = name.toLowerCase(Locale.ROOT);
    if (option.equals("skipme")) {
      skipsCaller = value.equalsIgnoreCase("yes");
      return skipsCaller || value.equalsIgnoreCase("no") ? null : SYNTAX_ERROR;
    }
    if (!known.has(option)) {
      return SYNTAX_ERROR;
    }
    String error = known.error(option, value, number);
    if (error == null) {
      conditions.put(option, ClientConditions.of(option, value, number));
    }
    return error;
  }
}
