package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.BeginSearch;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.FindKeys;
import io.penstock.core.spec.KeyFlag;
import io.penstock.core.spec.KeySpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a server's reply to {@code COMMAND} into facts: the inverse of {@link CommandInfoWriter}.
 * Replies are not trusted, above all those about commands of modules: invalid entries and numbers
 * out of range are skipped.
 */
final class CommandReplyParser {

  /** Longest command name, in characters, that is accepted. */
  private static final int MAX_NAME_LENGTH = 128;

  /**
   * The largest accepted number: no command has keys at a higher index, or more arguments per key.
   */
  private static final long MAX_NUMBER = 1_024;

  private static final Pattern NAME = Pattern.compile("[!-{}~]+(\\|[!-{}~]+)?"); // no space

  private CommandReplyParser() {}

  /**
   * Passes the facts of a command and of its subcommands to a consumer. Skips what cannot be
   * parsed.
   */
  static void parse(@Nullable Object entry, Consumer<CommandFacts> into) {
    CommandFacts command = facts(entry);
    if (command == null || command.isSubcommand()) {
      return;
    }
    into.accept(command);
    for (Object child : list(entry, 9)) {
      CommandFacts subcommand = facts(child);
      if (subcommand != null
          && subcommand.isSubcommand()
          && subcommand.topLevelName().equals(command.name())) {
        into.accept(subcommand);
      }
    }
  }

  private static @Nullable CommandFacts facts(@Nullable Object entry) {
    if (!(element(entry, 0) instanceof String name)
        || !(element(entry, 1) instanceof Long arity)
        || name.length() > MAX_NAME_LENGTH
        || !NAME.matcher(name).matches()
        || arity == 0
        || arity > MAX_NUMBER
        || arity < -MAX_NUMBER) {
      return null;
    }
    CommandFacts.LegacyRange range = range(entry);
    List<KeySpec> keySpecs = new ArrayList<>();
    for (Object spec : list(entry, 8)) {
      keySpecs.add(keySpec(map(spec)));
    }
    if (size(entry) < 9 && range.first() > 0) {
      keySpecs.add(keySpec(range)); // before Redis 7
    }
    return new CommandFacts(
        name.toLowerCase(Locale.ROOT),
        name,
        arity.intValue(),
        constants(CommandFlag.class, list(entry, 2)),
        constants(AclCategory.class, list(entry, 6)),
        tips(list(entry, 7)),
        range,
        keySpecs);
  }

  private static CommandFacts.LegacyRange range(@Nullable Object entry) {
    int first = number(element(entry, 3), 0);
    int last = number(element(entry, 4), 0);
    int step = number(element(entry, 5), 0);
    return first > 0 && step > 0
        ? new CommandFacts.LegacyRange(first, last, step)
        : CommandFacts.LegacyRange.NONE;
  }

  private static KeySpec keySpec(CommandFacts.LegacyRange range) {
    int last = range.last() < 0 ? range.last() : Math.max(0, range.last() - range.first());
    return new KeySpec(
        Set.of(), new BeginSearch.Index(range.first()), new FindKeys.Range(last, range.step(), 0));
  }

  private static List<String> tips(List<?> reply) {
    List<String> tips = new ArrayList<>();
    for (Object tip : reply) {
      if (tip instanceof String text) {
        tips.add(text);
      }
    }
    return tips;
  }

  private static KeySpec keySpec(Map<String, Object> spec) {
    Set<KeyFlag> flags = EnumSet.noneOf(KeyFlag.class);
    if (spec.get("flags") instanceof List<?> names) {
      for (KeyFlag flag : KeyFlag.values()) {
        if (names.contains(flag.wireName())) {
          flags.add(flag);
        }
      }
    }
    return new KeySpec(
        flags, begin(map(spec.get("begin_search"))), find(map(spec.get("find_keys"))));
  }

  private static BeginSearch begin(Map<String, Object> half) {
    Map<String, Object> spec = map(half.get("spec"));
    int index = number(spec.get("index"), 0);
    if ("index".equals(half.get("type")) && index > 0) {
      return new BeginSearch.Index(index);
    }
    int startFrom = number(spec.get("startfrom"), 0);
    return "keyword".equals(half.get("type"))
            && spec.get("keyword") instanceof String keyword
            && startFrom != 0
        ? new BeginSearch.Keyword(keyword, startFrom)
        : new BeginSearch.Unknown();
  }

  private static FindKeys find(Map<String, Object> half) {
    Map<String, Object> spec = map(half.get("spec"));
    int step = number(spec.get("keystep"), 0);
    if ("range".equals(half.get("type")) && step > 0) {
      int limit = number(spec.get("limit"), 0);
      return new FindKeys.Range(number(spec.get("lastkey"), 0), step, Math.max(0, limit));
    }
    int count = number(spec.get("keynumidx"), -1);
    int first = number(spec.get("firstkey"), -1);
    return "keynum".equals(half.get("type")) && step > 0 && count >= 0 && first >= 0
        ? new FindKeys.KeyNum(count, first, step)
        : new FindKeys.Unknown();
  }

  /** Returns the constants for a server's names, with or without {@code @}. */
  private static <E extends Enum<E>> Set<E> constants(Class<E> type, List<?> names) {
    Set<E> constants = EnumSet.noneOf(type);
    for (E constant : type.getEnumConstants()) {
      String name = constant.name().toLowerCase(Locale.ROOT);
      if (names.contains(name) || names.contains("@" + name)) {
        constants.add(constant);
      }
    }
    return constants;
  }

  private static int number(@Nullable Object value, int otherwise) {
    return value instanceof Long number && number <= MAX_NUMBER && number >= -MAX_NUMBER
        ? number.intValue()
        : otherwise;
  }

  /** Converts a RESP2 map, a list of alternating names and values. */
  private static Map<String, Object> map(@Nullable Object pairs) {
    Map<String, Object> map = new TreeMap<>();
    for (int i = 0; i + 1 < size(pairs); i += 2) {
      Object value = element(pairs, i + 1);
      if (element(pairs, i) instanceof String name && value != null) {
        map.put(name, value);
      }
    }
    return map;
  }

  private static List<?> list(@Nullable Object of, int index) {
    return element(of, index) instanceof List<?> list ? list : List.of();
  }

  private static @Nullable Object element(@Nullable Object of, int index) {
    return of instanceof List<?> list && index < list.size() ? list.get(index) : null;
  }

  private static int size(@Nullable Object of) {
    return of instanceof List<?> list ? list.size() : 0;
  }
}
