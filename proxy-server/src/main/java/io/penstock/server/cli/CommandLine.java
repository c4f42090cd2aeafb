package io.penstock.server.cli;

import io.penstock.server.config.OptionNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parsed command line.
 *
 * @param action what to do
 * @param options arguments for Spring: {@code --key=value}; with {@link Action#COMPARE}, all
 *     arguments after that word, for {@link CompareOptions}
 */
public record CommandLine(Action action, List<String> options) {

  /** The action that the command line selects. */
  public enum Action {
    START,
    CHECK,
    COMPARE,
    HELP,
    VERSION
  }

  private static final String CHECK = "--check";
  private static final String COMPARE = "compare";
  private static final List<String> HELP = List.of("--help", "-h");
  private static final List<String> VERSION = List.of("--version", "-v");
  private static final List<String> WORDS = List.of("--help", "--version", CHECK);

  public CommandLine {
    options = List.copyOf(options);
  }

  /**
   * Parses the arguments. With {@code --help} or {@code --version} all others are ignored.
   *
   * @throws UsageException if an argument is unknown, is not an option, or is given twice
   */
  public static CommandLine of(String... arguments) throws UsageException {
    List<String> all = List.of(arguments);
    if (all.stream().anyMatch(HELP::contains)) {
      return new CommandLine(Action.HELP, List.of());
    }
    if (all.stream().anyMatch(VERSION::contains)) {
      return new CommandLine(Action.VERSION, List.of());
    }
    if (all.indexOf(COMPARE) == 0) {
      return new CommandLine(Action.COMPARE, all.subList(1, all.size()));
    }
    Action action = Action.START;
    List<String> options = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      if (!argument.equals(CHECK)) {
        rejectUnknown(argument, i, i == 0 ? "" : arguments[i - 1]);
        rejectRepeated(name(argument), options);
        options.add(argument);
      } else if (action == Action.CHECK) {
        throw givenTwice(CHECK);
      } else {
        action = Action.CHECK;
      }
    }
    return new CommandLine(action, options);
  }

  private static void rejectUnknown(String argument, int index, String previous)
      throws UsageException {
    if (!argument.startsWith("--")) {
      throw new UsageException(notAnOption(argument, index, previous));
    }
    String name = name(argument);
    if (WORDS.contains("--" + name)) {
      throw new UsageException("--" + name + " takes no value.");
    }
    if (!OptionNames.exists(name)) {
      String meant = nearest(name);
      throw new UsageException(
          meant == null
              ? "Unknown option --" + name + "."
              : "Unknown option --" + name + "; did you mean " + meant + "?");
    }
  }

  private static @Nullable String nearest(String name) {
    for (String word : WORDS) {
      if (OptionNames.similar(name, word.substring(2))) {
        return word;
      }
    }
    String meant = OptionNames.nearest(name);
    return meant == null ? null : "--" + meant;
  }

  /**
   * Returns the message for an argument that is not an option. Only a file name is repeated in it:
   * anything else may be a password that was separated from its option.
   */
  private static String notAnOption(String argument, int index, String previous) {
    if (argument.matches("-D[\\w.-]+=.*")) {
      String name = argument.substring(2, argument.indexOf('='));
      return "-D%s comes after the jar, where the JVM ignores it; write --%s=VALUE."
          .formatted(name, name);
    }
    if (argument.matches(".*\\.(ya?ml|properties)")) {
      return "%1$s is not an option; write --spring.config.additional-location=file:%1$s."
          .formatted(argument);
    }
    return previous.startsWith("--") && previous.indexOf('=') < 0 && !previous.equals(CHECK)
        ? "%1$s and its value are separate arguments; write %1$s=VALUE.".formatted(previous)
        : "Argument %d is not an option: options are written --key=value.".formatted(index + 1);
  }

  private static void rejectRepeated(String name, List<String> options) throws UsageException {
    for (String option : options) {
      if (OptionNames.same(name, name(option))) {
        throw givenTwice("--" + name);
      }
    }
  }

  private static UsageException givenTwice(String option) {
    return new UsageException(
        option + " is given twice; give it once, with commas between the elements of a list.");
  }

  /** Returns the part between the dashes and the equals sign. */
  private static String name(String option) {
    int end = option.indexOf('=');
    return option.substring(2, end < 0 ? option.length() : end);
  }
}
