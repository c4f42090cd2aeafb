package io.penstock.core.acl;

import io.penstock.core.acl.AclSelector.KeyPattern;
import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A selector while rules change it ({@code ACLSetSelector} in acl.c). Rules about commands are kept
 * as they are given, as servers do from version 7.2 on. Not thread-safe.
 */
final class SelectorRules {

  private static final String ALL_COMMANDS = "+@all";
  private static final String NO_COMMANDS = "-@all";

  private final CommandTable table;
  private final List<String> commands;
  private final List<KeyPattern> keys;
  private final List<String> channels;

  SelectorRules(AclSelector from, CommandTable table) {
    this.table = table;
    commands = new ArrayList<>(from.commands());
    keys = new ArrayList<>(from.keys());
    channels = new ArrayList<>(from.channels());
  }

  AclSelector toSelector() {
    return new AclSelector(commands, keys, channels);
  }

  /**
   * Applies a rule.
   *
   * @throws RuleError.Signal if it is none; nothing has changed then
   */
  void apply(String rule) throws RuleError.Signal {
    switch (RuleWords.lowerCase(rule)) {
      case "allkeys", "~*" -> replace(keys, AclSelector.ALL_KEYS);
      case "resetkeys" -> keys.clear();
      case "allchannels", "&*" -> replace(channels, AclSelector.ALL_CHANNELS);
      case "resetchannels" -> channels.clear();
      case "allcommands", ALL_COMMANDS -> replace(commands, List.of(ALL_COMMANDS));
      case "nocommands", NO_COMMANDS -> replace(commands, List.of(NO_COMMANDS));
      default -> applyPattern(rule);
    }
  }

  private static <T> void replace(List<T> list, List<T> by) {
    list.clear();
    list.addAll(by);
  }

  private void applyPattern(String rule) throws RuleError.Signal {
    switch (rule.isEmpty() ? 0 : rule.charAt(0)) {
      case '~', '%' -> addKeys(rule);
      case '&' -> addChannels(rule.substring(1));
      case '+', '-' -> {
        if (rule.startsWith("@", 1)) {
          category(rule);
        } else if (rule.charAt(0) == '+') {
          permit(rule.substring(1));
        } else {
          deny(rule.substring(1));
        }
      }
      default -> throw new RuleError.Signal(RuleError.SYNTAX);
    }
  }

  private void addKeys(String rule) throws RuleError.Signal {
    if (keys.equals(AclSelector.ALL_KEYS)) {
      throw new RuleError.Signal(RuleError.AFTER_ALL_KEYS);
    }
    KeyPattern added = keyPattern(rule);
    if (RuleWords.hasSpaces(added.pattern())) {
      throw new RuleError.Signal(RuleError.SYNTAX);
    }
    for (int i = 0; i < keys.size(); i++) {
      KeyPattern known = keys.get(i);
      if (known.pattern().equals(added.pattern())) {
        boolean read = known.read() || added.read();
        keys.set(i, new KeyPattern(read, known.write() || added.write(), known.pattern()));
        return;
      }
    }
    keys.add(added);
  }

  /** Parses {@code ~PATTERN} or {@code %RW~PATTERN}; like servers, also one without a tilde. */
  private static KeyPattern keyPattern(String rule) throws RuleError.Signal {
    if (rule.charAt(0) == '~') {
      return new KeyPattern(true, true, rule.substring(1));
    }
    boolean read = false;
    boolean write = false;
    int at = 1;
    for (; at < rule.length() && rule.charAt(at) != '~'; at++) {
      char c = rule.charAt(at);
      boolean reads = (c == 'R' || c == 'r') && !read;
      boolean writes = (c == 'W' || c == 'w') && !write;
      if (!reads && !writes) {
        throw new RuleError.Signal(RuleError.SYNTAX);
      }
      read |= reads;
      write |= writes;
    }
    if (!read && !write) {
      throw new RuleError.Signal(RuleError.SYNTAX);
    }
    return new KeyPattern(read, write, rule.substring(Math.min(at + 1, rule.length())));
  }

  private void addChannels(String pattern) throws RuleError.Signal {
    if (channels.equals(AclSelector.ALL_CHANNELS)) {
      throw new RuleError.Signal(RuleError.AFTER_ALL_CHANNELS);
    }
    if (RuleWords.hasSpaces(pattern)) {
      throw new RuleError.Signal(RuleError.SYNTAX);
    }
    if (!channels.contains(pattern)) {
      channels.add(pattern);
    }
  }

  private void category(String rule) throws RuleError.Signal {
    String name = RuleWords.lowerCase(rule.substring(2));
    for (AclCategory category : AclCategory.values()) {
      if (category.wireName().equals(name)) {
        update("@" + name, rule.charAt(0));
        return;
      }
    }
    throw new RuleError.Signal(RuleError.UNKNOWN_COMMAND);
  }

  private void deny(String name) throws RuleError.Signal {
    known(name);
    update(RuleWords.lowerCase(name), '-');
  }

  private void permit(String name) throws RuleError.Signal {
    int bar = name.lastIndexOf('|');
    if (bar < 0) {
      known(name);
    } else {
      checkPart(name, bar);
    }
    update(RuleWords.lowerCase(name), '+');
  }

  /** Checks {@code container|subcommand} or {@code command|first-argument}. */
  private void checkPart(String name, int bar) throws RuleError.Signal {
    CommandSpec command = known(name.substring(0, bar));
    if (name.indexOf('|') < bar) {
      throw new RuleError.Signal(RuleError.SUBCOMMAND_ARGUMENT);
    }
    if (bar == name.length() - 1) {
      throw new RuleError.Signal(RuleError.SYNTAX);
    }
    if (command.isContainer()) {
      known(name);
    }
  }

  private CommandSpec known(String name) throws RuleError.Signal {
    String command = RuleWords.lowerCase(name);
    if (!table.knows(command)) {
      throw new RuleError.Signal(RuleError.UNKNOWN_COMMAND);
    }
    return table.byName(command);
  }

  /**
   * Adds a rule about a command or category, in place of an earlier one and of those about its
   * subcommands.
   */
  private void update(String name, char sign) {
    List<String> others = commands.subList(1, commands.size());
    others.removeIf(rule ->
        rule.startsWith(name, 1)
            && (rule.length() == name.length() + 1 || rule.charAt(name.length() + 1) == '|'));
    commands.add(sign + name);
  }
}
