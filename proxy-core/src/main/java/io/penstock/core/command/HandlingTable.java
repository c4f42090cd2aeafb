package io.penstock.core.command;

import io.penstock.core.spec.BeginSearch;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.CommandTraits;
import io.penstock.core.spec.FindKeys;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.Merge;
import io.penstock.core.spec.Option;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parsed lines of {@code handling.table}, which describes their form. A subcommand without its
 * own line has its container's.
 */
final class HandlingTable {

  private final Map<String, String> errors = new HashMap<>();
  private final Map<String, String[]> decisions = new HashMap<>();
  private final Map<String, String> denied = new HashMap<>();
  private final Map<String, Set<String>> traits = new HashMap<>();

  private HandlingTable() {}

  static HandlingTable parse(List<String> lines) {
    HandlingTable table = new HandlingTable();
    for (String line : lines) {
      String[] words = line.split(" ", 3);
      if (words[0].equals("error")) {
        table.errors.put(words[1], words[2]);
      } else if (words[0].equals("denied")) {
        table.addDenied(words[1], words[2].split(" ", -1));
      } else if (words[0].equals("trait")) {
        table.addTrait(words[1], words[2].split(" ", -1));
      } else if (table.decisions.put(words[0], line.split(" ", -1)) != null) {
        throw new IllegalArgumentException("two lines for " + words[0]);
      }
    }
    return table;
  }

  private void addDenied(String error, String[] names) {
    for (String name : names) {
      if (denied.put(name, error) != null) {
        throw new IllegalArgumentException(name + " is denied twice");
      }
    }
  }

  private void addTrait(String trait, String[] names) {
    for (String name : names) {
      Set<String> others = traits.computeIfAbsent(name, _ -> new HashSet<>());
      boolean again =
          (CommandTraits.isMirrored(trait) && others.stream().anyMatch(CommandTraits::isMirrored))
              || (CommandTraits.isPrefixing(trait)
                  && others.stream().anyMatch(CommandTraits::isPrefixing));
      if (again || !others.add(trait)) {
        throw new IllegalArgumentException(name + " has the trait " + trait + " twice");
      }
    }
  }

  /** Throws if a line is about a command that is not in {@code names}. */
  void requireKnown(Set<String> names) {
    Set<String> decided = new HashSet<>(decisions.keySet());
    decided.addAll(denied.keySet());
    decided.addAll(traits.keySet());
    decided.removeAll(names);
    if (!decided.isEmpty()) {
      throw new IllegalArgumentException("handling for unknown commands: " + decided);
    }
  }

  /**
   * Returns the error line that rejects a command unless the configuration allows it; null if there
   * is none.
   */
  @Nullable String denialError(CommandFacts command) {
    String error = denied.get(command.name());
    if (error == null) {
      error = denied.get(command.topLevelName());
    }
    return error == null ? null : error(error, command);
  }

  /**
   * Returns the traits of a command, with those of its container. What copies get for a subcommand,
   * and what becomes of it with a key prefix, may differ from what the container's line says.
   */
  CommandTraits traitsOf(CommandFacts command) {
    return read(wordsOf(command));
  }

  /**
   * Like {@link #traitsOf}, of a command that only nodes know: nobody has decided about its keys.
   */
  CommandTraits traitsOfLearnt(CommandFacts command) {
    Set<String> words = wordsOf(command);
    words.removeIf(CommandTraits::isPrefixing);
    words.add(CommandTraits.REFUSED_WITH_PREFIX);
    return read(words);
  }

  /** Returns whether a line says what becomes of the command with a key prefix. */
  boolean saysPrefixing(CommandFacts command) {
    return wordsOf(command).stream().anyMatch(CommandTraits::isPrefixing);
  }

  private static CommandTraits read(Set<String> words) {
    return words.isEmpty() ? CommandTraits.NONE : CommandTraits.of(words);
  }

  private Set<String> wordsOf(CommandFacts command) {
    Set<String> words = new HashSet<>(traits.getOrDefault(command.topLevelName(), Set.of()));
    Set<String> own = traits.getOrDefault(command.name(), Set.of());
    if (own.stream().anyMatch(CommandTraits::isMirrored)) {
      words.removeIf(CommandTraits::isMirrored);
    }
    if (own.stream().anyMatch(CommandTraits::isPrefixing)) {
      words.removeIf(CommandTraits::isPrefixing);
    }
    words.addAll(own);
    return words;
  }

  /** Returns the words of a command's line, without its name; empty if it has no line. */
  List<String> words(CommandFacts command) {
    String[] words = decision(command);
    return words == null ? List.of() : List.of(words).subList(1, words.length);
  }

  /**
   * Returns the handling of a new subcommand if its container's line covers all subcommands:
   * rejected, or one local answer for every unknown one. Otherwise null.
   */
  @Nullable Handling containerHandling(CommandFacts command) {
    String[] words = decisions.get(command.topLevelName());
    if (words == null || !command.isSubcommand()) {
      return null;
    }
    boolean coversAll =
        words[1].equals("refused") || (words[1].equals("local") && words.length > 2);
    return coversAll ? read(words, command) : null;
  }

  private String @Nullable [] decision(CommandFacts command) {
    String[] words = decisions.get(command.name());
    return words == null ? decisions.get(command.topLevelName()) : words;
  }

  /** Returns the handling of a command. */
  Handling handlingOf(CommandFacts command, boolean isContainer) {
    String[] words = decision(command);
    if (words != null) {
      return read(words, command);
    }
    if (command.keySpecs().isEmpty() && !isContainer) {
      throw new IllegalArgumentException(
          command.name() + " has no keys and no line in handling.table");
    }
    return new Handling.Forward();
  }

  private Handling read(String[] words, CommandFacts command) {
    return switch (words[1]) {
      case "forward" -> new Handling.Forward();
      case "any-node" -> new Handling.AnyNode();
      case "publish" -> new Handling.Publish(flag(words, 2, "sharded"));
      case "local" ->
          new Handling.Local(LocalCommand.named(words.length > 2 ? words[2] : command.name()));
      case "broadcast" -> broadcast(words);
      case "script" -> new Handling.Script();
      case "scan" -> new Handling.Scan();
      case "split" -> split(Enum.valueOf(Merge.class, words[2]), options(words, 3), command);
      case "refused" -> new Handling.Rejected(error(words[2], command));
      case "watch" -> new Handling.Watch();
      case "blocking" -> blocking(words);
      case "blocking-if" -> blockingIf(words);
      default -> throw new IllegalArgumentException("unknown handling: " + words[1]);
    };
  }

  /** Parses {@code broadcast MERGE [aside]}. */
  private static Handling broadcast(String[] words) {
    boolean aside = flag(words, 3, "aside");
    return new Handling.Broadcast(Enum.valueOf(Merge.class, words[2]), aside);
  }

  /** Parses the last word of a line, which may be absent. */
  private static boolean flag(String[] words, int at, String flag) {
    boolean given = words.length == at + 1 && words[at].equals(flag);
    if (words.length != at && !given) {
      throw new IllegalArgumentException("invalid line: " + String.join(" ", words));
    }
    return given;
  }

  /** Parses {@code blocking AT [UNDO]}. */
  private static Handling blocking(String[] words) {
    var undo =
        words.length == 3
            ? Handling.Blocking.Undo.NOTHING
            : Enum.valueOf(Handling.Blocking.Undo.class, words[3]);
    return new Handling.Blocking(Integer.parseInt(words[2]), undo);
  }

  /** Returns {@code split MERGE} or, for a command with a number of keys, with options. */
  private static Handling split(Merge merge, List<Option> options, CommandFacts command) {
    if (command.keySpecs().size() == 1
        && command.keySpecs().getFirst().begin() instanceof BeginSearch.Index(int first)) {
      FindKeys find = command.keySpecs().getFirst().find();
      if (find instanceof FindKeys.Range(int last, int step, _) && last == -1) {
        return new Handling.Split(merge, first, step);
      }
      if (find instanceof FindKeys.KeyNum(int count, int firstKey, int step)
          && firstKey == count + 1) {
        return new Handling.Split(merge, first + firstKey, step, first + count, options);
      }
    }
    throw new IllegalArgumentException(command.name() + " cannot be split by its key specs");
  }

  /** Parses {@code blocking-if KEYWORD END option:arguments…}. */
  private static Handling blockingIf(String[] words) {
    return new Handling.BlockingIf(words[2], words[3], options(words, 4));
  }

  /** Parses {@code option:arguments…}, from a word on. */
  private static List<Option> options(String[] words, int from) {
    List<Option> options = new ArrayList<>();
    for (int i = from; i < words.length; i++) {
      int colon = words[i].indexOf(':');
      options.add(
          new Option(
              words[i].substring(0, colon), Integer.parseInt(words[i].substring(colon + 1))));
    }
    return options;
  }

  /** Returns the error line of {@code error NAME}, with this command's name. */
  String error(String name, CommandFacts command) {
    @Nullable String text = errors.get(name);
    if (text == null) {
      throw new IllegalArgumentException("unknown error: " + name);
    }
    return text.replace("{command}", CommandSpec.displayName(command.name()));
  }
}
