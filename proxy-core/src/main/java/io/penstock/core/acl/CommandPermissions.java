package io.penstock.core.acl;

import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The commands that a selector permits: a bit for each id of a table. Immutable. */
final class CommandPermissions {

  private final long[] bits;
  private final boolean futureCommands;
  private final boolean everything;
  private final int size;
  private final String @Nullable [] @Nullable [] firstArguments; // by id; of commands without a bit

  private CommandPermissions(Compiler compiled, int size) {
    futureCommands = compiled.futureCommands;
    everything = futureCommands && compiled.bits.cardinality() == size;
    firstArguments = compiled.firstArguments(size);
    compiled.permitWithoutAuthentication();
    bits = Arrays.copyOf(compiled.bits.toLongArray(), (size + Long.SIZE - 1) / Long.SIZE);
    this.size = size;
  }

  /** Compiles rules as {@link AclSelector#commands} has them. */
  static CommandPermissions of(List<String> rules, CommandTable table) {
    var compiler = new Compiler(table);
    rules.forEach(compiler::apply);
    return new CommandPermissions(compiler, table.size());
  }

  boolean permitsEverything() {
    return everything;
  }

  boolean permits(RequestFrame frame, CommandSpec spec) {
    int id = spec.id();
    if (id >= size) {
      return futureCommands;
    }
    return (bits[id / Long.SIZE] & 1L << id) != 0
        || (firstArguments != null && permitsFirstArgument(frame, firstArguments[id]));
  }

  private static boolean permitsFirstArgument(RequestFrame frame, String @Nullable [] permitted) {
    if (permitted == null || frame.argc() == 1) {
      return false;
    }
    for (String argument : permitted) {
      if (Ascii.equalsIgnoreCase(frame, 1, argument)) {
        return true;
      }
    }
    return false;
  }

  /** Applies rules in their order, as a server does. */
  private static final class Compiler {

    private final CommandTable table;
    private final BitSet bits = new BitSet();
    private final Map<Integer, List<String>> firstArguments = new HashMap<>();
    private boolean futureCommands;

    Compiler(CommandTable table) {
      this.table = table;
    }

    void apply(String rule) {
      boolean permit = rule.charAt(0) == '+';
      String name = rule.substring(1);
      if (name.equals("@all")) {
        all(permit);
      } else if (name.startsWith("@")) {
        category(name.substring(1), permit);
      } else if (table.knows(name)) {
        command(table.byName(name), permit);
      } else {
        firstArgument(name, permit);
      }
    }

    private void all(boolean permit) {
      futureCommands = permit;
      bits.set(0, table.size(), permit);
      firstArguments.clear();
    }

    private void category(String name, boolean permit) {
      for (CommandSpec spec : table.specs()) {
        if (isIn(spec, name)) {
          command(spec, permit);
        }
      }
    }

    private static boolean isIn(CommandSpec spec, String category) {
      for (AclCategory each : spec.aclCategories()) {
        if (each.wireName().equals(category)) {
          return true;
        }
      }
      return false;
    }

    private void command(CommandSpec spec, boolean permit) {
      bits.set(spec.id(), permit);
      firstArguments.remove(spec.id());
      for (CommandSpec subcommand : spec.subcommands()) {
        bits.set(subcommand.id(), permit);
      }
    }

    private void firstArgument(String rule, boolean permit) {
      int bar = rule.lastIndexOf('|');
      String name = bar < 0 ? "" : rule.substring(0, bar);
      if (permit && table.knows(name)) {
        firstArguments
            .computeIfAbsent(table.byName(name).id(), _ -> new ArrayList<>())
            .add(rule.substring(bar + 1));
      }
    }

    /** Returns the first arguments by the id of their command; null if there are none. */
    String @Nullable [] @Nullable [] firstArguments(int size) {
      if (firstArguments.isEmpty()) {
        return null;
      }
      var byId = new String @Nullable [size] @Nullable [];
      firstArguments.forEach((id, texts) -> byId[id] = texts.toArray(String[]::new));
      return byId;
    }

    /** Permits what every user may do: {@code AUTH}, {@code HELLO}, {@code QUIT}. */
    void permitWithoutAuthentication() {
      for (CommandSpec spec : table.specs()) {
        if (spec.has(CommandFlag.NO_AUTH)) {
          bits.set(spec.id());
        }
      }
    }
  }
}
