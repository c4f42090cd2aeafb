package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration allows and denies: names ({@code config|set}; a container's name is about
 * all of its subcommands) and ACL categories ({@code @dangerous}, and {@code @all}), in lower case.
 *
 * <p>What is said more narrowly counts: a subcommand's name before its container's, a name before a
 * category, any category before {@code @all}, and {@code handling.table} where nothing is said.
 * Between two of the same kind deny counts.
 */
public record CommandRules(Set<String> allow, Set<String> deny) {

  /** Nothing said. */
  public static final CommandRules NONE = new CommandRules(Set.of(), Set.of());

  private static final String ALL = "@all";

  public CommandRules {
    allow = Set.copyOf(allow);
    deny = Set.copyOf(deny);
  }

  /** Rules of entries as they are written, in any case. */
  public static CommandRules of(Collection<String> allow, Collection<String> deny) {
    return new CommandRules(normalize(allow), normalize(deny));
  }

  private static Set<String> normalize(Collection<String> entries) {
    Set<String> normal = new HashSet<>();
    for (String entry : entries) {
      normal.add(normalize(entry));
    }
    return normal;
  }

  static String normalize(String entry) {
    return entry.strip().toLowerCase(Locale.ROOT);
  }

  /**
   * The decision about a command, these rules included.
   *
   * @param handling what is done with it when it is allowed; what cannot be served stays refused
   * @param denial the error line that refuses it when nothing is said, or null
   */
  Handling apply(CommandFacts command, Handling handling, @Nullable String denial) {
    if (handling instanceof Handling.Rejected) {
      return handling;
    }
    return switch (verdict(command)) {
      case ALLOWED -> handling;
      case DENIED -> new Handling.Rejected(notAllowed(command, "penstock.commands.deny says so"));
      case UNSAID ->
          denial == null
              ? handling
              : new Handling.Rejected(
                  denial + "; " + command.name() + " in penstock.commands.allow would allow it");
    };
  }

  private enum Verdict {
    ALLOWED,
    DENIED,
    UNSAID
  }

  private Verdict verdict(CommandFacts command) {
    List<String> categories = new ArrayList<>();
    for (AclCategory category : command.acl()) {
      categories.add("@" + category.wireName());
    }
    for (List<String> level :
        List.of(
            List.of(command.name()), List.of(command.topLevelName()), categories, List.of(ALL))) {
      for (String entry : level) {
        if (deny.contains(entry)) {
          return Verdict.DENIED;
        }
      }
      for (String entry : level) {
        if (allow.contains(entry)) {
          return Verdict.ALLOWED;
        }
      }
    }
    return Verdict.UNSAID;
  }

  /** An error line for a command that may not be used here. */
  static String notAllowed(CommandFacts command, String reason) {
    return "ERR %s is not allowed through this proxy: %s".formatted(shown(command), reason);
  }

  /** An error line for a command that cannot be used here. */
  static String notSupported(CommandFacts command, String reason) {
    return "ERR %s is not supported by this proxy: %s".formatted(shown(command), reason);
  }

  private static String shown(CommandFacts command) {
    return CommandSpec.displayName(command.name());
  }
}
