package io.penstock.core.spec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What servers report about one command: a line of {@code commands.table}.
 *
 * @param name lower case, {@code container|subcommand} for subcommands
 * @param wireName the name as servers write it: commands of modules may have capitals
 * @param arity as in Redis: {@code -n} means at least n arguments, the name included
 * @param range the first key, last key and step of servers before 7, as {@code COMMAND} still
 *     reports them
 */
public record CommandFacts(
    String name,
    String wireName,
    int arity,
    Set<CommandFlag> flags,
    Set<AclCategory> acl,
    List<String> tips,
    LegacyRange range,
    List<KeySpec> keySpecs) {

  /** First key, last key, step. */
  public record LegacyRange(int first, int last, int step) {
    public static final LegacyRange NONE = new LegacyRange(0, 0, 0);
  }

  public CommandFacts {
    flags = Collections.unmodifiableSet(flags);
    acl = Collections.unmodifiableSet(acl);
    tips = List.copyOf(tips);
    keySpecs = List.copyOf(keySpecs);
  }

  /**
   * Reads a line: name and arity, then {@code field=value} words.
   *
   * @throws IllegalArgumentException if the line is malformed
   */
  public static CommandFacts parse(String line) {
    String[] words = line.split(" ", -1);
    Set<CommandFlag> flags = EnumSet.noneOf(CommandFlag.class);
    Set<AclCategory> acl = EnumSet.noneOf(AclCategory.class);
    List<String> tips = new ArrayList<>();
    List<KeySpec> keySpecs = new ArrayList<>();
    LegacyRange range = LegacyRange.NONE;
    for (int i = 2; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      String value = words[i].substring(equals + 1);
      switch (words[i].substring(0, equals)) {
        case "flags" -> addAll(CommandFlag.class, value, flags);
        case "acl" -> addAll(AclCategory.class, value, acl);
        case "tips" -> tips.addAll(List.of(value.split(",", -1)));
        case "range" -> range = parseRange(value);
        case "key" -> keySpecs.add(parseKeySpec(value));
        case "in" -> {} // the sources that have the command: for readers and
        // docs/reference/commands.md
        default -> throw new IllegalArgumentException("unknown field: " + words[i]);
      }
    }
    return new CommandFacts(
        words[0].toLowerCase(Locale.ROOT),
        words[0],
        Integer.parseInt(words[1]),
        flags,
        acl,
        tips,
        range,
        keySpecs);
  }

  /** Returns the container's name for a subcommand, otherwise the command's own name. */
  public String topLevelName() {
    int bar = name.indexOf('|');
    return bar < 0 ? name : name.substring(0, bar);
  }

  public boolean isSubcommand() {
    return name.indexOf('|') >= 0;
  }

  /** Returns a copy with another arity. */
  public CommandFacts withArity(int other) {
    return new CommandFacts(name, wireName, other, flags, acl, tips, range, keySpecs);
  }

  public RequestPolicy requestPolicy() {
    return policy("request_policy:", RequestPolicy.DEFAULT, RequestPolicy.SPECIAL);
  }

  public ResponsePolicy responsePolicy() {
    return policy("response_policy:", ResponsePolicy.DEFAULT, ResponsePolicy.SPECIAL);
  }

  /** Reads a policy; an unknown one is treated as {@code special}. */
  private <E extends Enum<E>> E policy(String tip, E none, E special) {
    for (String text : tips) {
      if (text.startsWith(tip)) {
        String name = text.substring(tip.length()).toUpperCase(Locale.ROOT);
        for (E policy : none.getDeclaringClass().getEnumConstants()) {
          if (policy.name().equals(name)) {
            return policy;
          }
        }
        return special;
      }
    }
    return none;
  }

  private static <E extends Enum<E>> void addAll(Class<E> type, String names, Set<E> into) {
    if (names.isEmpty()) {
      return;
    }
    for (String name : names.split(",", -1)) {
      into.add(Enum.valueOf(type, name.toUpperCase(Locale.ROOT)));
    }
  }

  private static LegacyRange parseRange(String text) {
    String[] parts = text.split(",", -1);
    return new LegacyRange(number(parts, 0), number(parts, 1), number(parts, 2));
  }

  /** Parses {@code FLAG,flag@begin/find}, where begin and find have their numbers behind colons. */
  private static KeySpec parseKeySpec(String text) {
    int at = text.indexOf('@');
    int slash = text.indexOf('/', at);
    Set<KeyFlag> flags = EnumSet.noneOf(KeyFlag.class);
    addAll(KeyFlag.class, text.substring(0, at), flags);
    String[] begin = text.substring(at + 1, slash).split(":", -1);
    String[] find = text.substring(slash + 1).split(":", -1);
    return new KeySpec(flags, parseBegin(begin), parseFind(find));
  }

  private static BeginSearch parseBegin(String[] parts) {
    return switch (parts[0]) {
      case "index" -> new BeginSearch.Index(number(parts, 1));
      case "keyword" -> new BeginSearch.Keyword(parts[1], number(parts, 2));
      case "unknown" -> new BeginSearch.Unknown();
      default -> throw new IllegalArgumentException("unknown begin search: " + parts[0]);
    };
  }

  private static FindKeys parseFind(String[] parts) {
    return switch (parts[0]) {
      case "range" -> new FindKeys.Range(number(parts, 1), number(parts, 2), number(parts, 3));
      case "keynum" -> new FindKeys.KeyNum(number(parts, 1), number(parts, 2), number(parts, 3));
      case "unknown" -> new FindKeys.Unknown();
      default -> throw new IllegalArgumentException("unknown find keys: " + parts[0]);
    };
  }

  private static int number(String[] parts, int i) {
    return Integer.parseInt(parts[i]);
  }
}
