package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells entries of {@link CommandRules} that would do nothing, or not what they seem to. */
public final class RuleCheck {

  private static final CommandRules EVERYTHING = new CommandRules(Set.of("@all"), Set.of());

  private RuleCheck() {}

  /**
   * What is wrong with an entry.
   *
   * @param reason what is wrong
   * @param fix what to do
   */
  public record Fault(String reason, String fix) {}

  /** What is wrong with an entry of {@code deny}; null when nothing is. */
  public static @Nullable Fault checkDenied(String entry) {
    String name = CommandRules.normalize(entry);
    return name.startsWith("@") ? ofCategory(name.substring(1)) : ofName(name);
  }

  /** What is wrong with an entry of {@code allow}; null when nothing is. */
  public static @Nullable Fault checkAllowed(String entry) {
    Fault fault = checkDenied(entry);
    CommandSpec spec = CommandTable.load(EVERYTHING).lookUp(CommandRules.normalize(entry));
    String refusal = spec == null ? null : refusal(spec);
    return fault == null && refusal != null
        ? new Fault("nothing can allow it: " + refusal, "remove it")
        : fault;
  }

  /** The error line for a command that is refused whatever is allowed. */
  private static @Nullable String refusal(CommandSpec spec) {
    List<CommandSpec> subcommands = spec.subcommands();
    String refusal = null;
    for (CommandSpec command : subcommands.isEmpty() ? List.of(spec) : subcommands) {
      if (!(command.handling() instanceof Handling.Rejected(String error))) {
        return null;
      }
      refusal = error.substring("ERR ".length());
    }
    return refusal;
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
      return new Fault("a subcommand stands behind a bar", "write " + name.replaceAll(" +", "|"));
    }
    // A module's commands are learnt later; by their authors' custom they have a dot.
    return CommandTable.load().lookUp(name) != null || name.indexOf('.') > 0
        ? null
        : new Fault(
            "there is no such command",
            "write a name as in docs/reference/commands.md, or an ACL category");
  }
}
