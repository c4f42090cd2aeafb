package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validates entries of {@link CommandRules}: finds those without an effect, or with an unexpected
 * one.
 */
public final class RuleCheck {

  private static final CommandRules EVERYTHING = new CommandRules(Set.of("@all"), Set.of());

  private RuleCheck() {}

  /**
   * A problem with an entry.
   *
   * @param reason what is wrong
   * @param fix what to do
   */
  public record Fault(String reason, String fix) {}

  /** Returns the problem with an entry of {@code deny}, or null. */
  public static @Nullable Fault checkDenied(String entry) {
    String name = CommandRules.normalize(entry);
    return name.startsWith("@") ? ofCategory(name.substring(1)) : ofName(name);
  }

  /** Returns the problem with an entry of {@code allow}, or null. */
  public static @Nullable Fault checkAllowed(String entry) {
    Fault fault = checkDenied(entry);
    CommandSpec spec = CommandTable.load(EVERYTHING).lookUp(CommandRules.normalize(entry));
    String rejection = spec == null ? null : rejection(spec);
    return fault == null && rejection != null
        ? new Fault("it cannot be allowed: " + rejection, "remove it")
        : fault;
  }

  /** Returns the error line of a command that is rejected whatever is allowed. */
  private static @Nullable String rejection(CommandSpec spec) {
    List<CommandSpec> subcommands = spec.subcommands();
    String rejection = null;
    for (CommandSpec command : subcommands.isEmpty() ? List.of(spec) : subcommands) {
      if (!(command.handling() instanceof Handling.Rejected(String error, _))) {
        return null;
      }
      rejection = error.substring("ERR ".length());
    }
    return rejection;
  }

  private static @Nullable Fault ofCategory(String name) {
    List<String> known = new ArrayList<>(List.of("@all"));
    for (AclCategory category : AclCategory.values()) {
      known.add("@" + category.wireName());
    }
    return known.contains("@" + name)
        ? null
        : new Fault("there is no such category", "write one of " + String.join(", ", known));
  }

  private static @Nullable Fault ofName(String name) {
    if (name.indexOf(' ') >= 0) {
      return new Fault("a subcommand is separated by a bar", "write " + name.replaceAll(" +", "|"));
    }
    // Commands of modules are learnt later. By convention their names contain a dot.
    return CommandTable.load().lookUp(name) != null || name.indexOf('.') > 0
        ? null
        : new Fault(
            "there is no such command",
            "write a name as in docs/reference/commands.md, or an ACL category");
  }
}
