package io.penstock.server.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code compare}.
 *
 * @param from the name of an upstream
 * @param to the name of the upstream to compare it with
 * @param toFile the configuration file that has {@code to}, or null if it is in the same one
 * @param keys the file with keys, {@code -} for the standard input, or null for random keys
 * @param count how many random keys
 * @param options arguments for Spring: {@code --key=value}
 */
public record CompareOptions(
    String from,
    String to,
    @Nullable String toFile,
    @Nullable String keys,
    int count,
    List<String> options) {

  private static final String TO_FILE = "--to-file";
  private static final String KEYS = "--keys";
  private static final String COUNT = "--count";
  private static final List<String> OWN = List.of(TO_FILE, KEYS, COUNT);
  private static final int DEFAULT_COUNT = 100_000;
  private static final int MOST = 100_000_000;
  private static final String USAGE =
      "write compare FROM TO, the names of two upstreams, and then options";

  public CompareOptions {
    options = List.copyOf(options);
  }

  /**
   * Parses the arguments after the word {@code compare}.
   *
   * @throws UsageException if one is missing, unknown or invalid
   */
  public static CompareOptions of(List<String> arguments) throws UsageException {
    if (arguments.size() < 2
        || arguments.get(0).startsWith("-")
        || arguments.get(1).startsWith("-")) {
      throw new UsageException("An upstream is missing; " + USAGE + ".");
    }
    Map<String, String> own = new HashMap<>();
    List<String> others = new ArrayList<>();
    for (String argument : arguments.subList(2, arguments.size())) {
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      if (!OWN.contains(name)) {
        others.add(argument);
      } else if (equals < 0 || equals == argument.length() - 1) {
        throw new UsageException(name + " has no value; write " + name + "=VALUE.");
      } else if (own.put(name, argument.substring(equals + 1)) != null) {
        throw new UsageException(name + " is given twice.");
      }
    }
    if (own.containsKey(KEYS) && own.containsKey(COUNT)) {
      throw new UsageException("--count is the number of random keys, and --keys names others.");
    }
    CommandLine rest = CommandLine.of(others.toArray(String[]::new));
    if (rest.action() != CommandLine.Action.START) {
      throw new UsageException("compare and --check exclude each other.");
    }
    return new CompareOptions(
        arguments.get(0),
        arguments.get(1),
        own.get(TO_FILE),
        own.get(KEYS),
        count(own.get(COUNT)),
        rest.options());
  }

  private static int count(@Nullable String text) throws UsageException {
    if (text == null) {
      return DEFAULT_COUNT;
    }
    try {
      int count = Integer.parseInt(text);
      if (count >= 1 && count <= MOST) {
        return count;
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    throw new UsageException("--count must be a number from 1 to " + MOST + ".");
  }
}
