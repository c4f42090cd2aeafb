package io.penstock.server.cli;

import io.penstock.server.config.OptionNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param action what to do
 * @param options what Spring gets as arguments: {@code --key=value}
 */
public record CommandLine(Action action, List<String> options) {

  /** What to do. */
  public enum Action {
    START,
    CHECK,
    HELP,
    VERSION
  }

  private static final String CHECK = "--check";
  private static final List<String> HELP = List.of("--help", "-h");
  private static final List<String> VERSION = List.of("--version", "-v");
  private static final List<String> WORDS = List.of("--help", "--version", CHECK);

  public CommandLine {
    options = List.copyOf(options);
  }

  /**
   * Reads the arguments. With {@code --help} or {@code --version} among them, others do not matter.
   *
   * @throws UsageException for an argument that is unknown, is not an option, or is given twice
   */
  public static CommandLine of(String... arguments) throws UsageException {
    List<String> all = List.of(arguments);
    if (all.stream().anyMatch(HELP::contains)) {
      return new CommandLine(Action.HELP, List.of());
    }
    if (all.stream().anyMatch(VERSION::contains)) {
      return new CommandLine(Action.VERSION, List.of());
    }
    Action action = Action.START;
    List<String> options = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      if (!argument.equals(CHECK)) {
        refuseUnknown(argument, i, i == 0 ? "" : arguments[i - 1]);
        refuseSecond(name(argument), options);
        options.add(argument);
      } else if (action == Action.CHECK) {
        throw givenTwice(CHECK);
      } else {
        action = Action.CHECK;
      }
    }
    return new CommandLine(action, options);
  }

  private static void refuseUnknown(String argument, int index, String before)
      throws UsageException {
    if (!argument.startsWith("--")) {
      throw new UsageException(noOption(argument, index, before));
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

  /** The argument may be a password that lost its option, so only a file's name is repeated. */
  private static String noOption(String argument, int index, String before) {
    if (argument.matches("-D[\\w.-]+=.*")) {
      String name = argument.substring(2, argument.indexOf('='));
      return "-D%s stands behind the jar, where the JVM does not see it; write --%s=VALUE."
          .formatted(name, name);
    }
    if (argument.matches(".*\\.(ya?ml|properties)")) {
      return "%1$s is not an option; write --spring.config.additional-location=file:%1$s."
          .formatted(argument);
    }
    return before.startsWith("--") && before.indexOf('=') < 0 && !before.equals(CHECK)
        ? "The value of %1$s stands apart from it; write %1$s=VALUE.".formatted(before)
        : "Argument %d is not an option: options are written --key=value.".formatted(index + 1);
  }

  private static void refuseSecond(String name, List<String> before) throws UsageException {
    for (String option : before) {
      if (OptionNames.same(name, name(option))) {
        throw givenTwice("--" + name);
      }
    }
  }

  private static UsageException givenTwice(String option) {
    return new UsageException(
        option + " is given twice; give it once. Commas separate the elements of a list.");
  }

  /** Between the dashes and the equals sign. */
  private static String name(String option) {
    int end = option.indexOf('=');
    return option.substring(2, end < 0 ? option.length() : end);
  }
}
