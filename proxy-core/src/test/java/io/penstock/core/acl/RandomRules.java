package io.penstock.core.acl;

import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Trait;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Random rules, most of them valid. */
final class RandomRules {

  private static final List<String> PATTERNS =
      List.of("a:*", "b:*", "*", "k?", "[a-c]*", "x", "", "a*b*c", "\\*", "a:1", "K:*");

  private static final List<String> OTHERS =
      List.of(
          "on",
          "OFF",
          "nopass",
          "resetpass",
          "reset",
          "clearselectors",
          "allkeys",
          "resetkeys",
          "allchannels",
          "ResetChannels",
          "allcommands",
          "nocommands",
          "+@all",
          "-@ALL",
          "sanitize-payload",
          "skip-sanitize-payload",
          "",
          ">one",
          ">two",
          "<one",
          "#c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2",
          "!c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2");

  private static final List<String> INVALID =
      List.of(
          "nonsense",
          "+nonsense",
          "-",
          "+",
          "+@nonsense",
          "+@",
          "#c3ab",
          "!C3AB8FF13720E8AD9047DD39466B3C8974E592C2FA383D4A3960714CAEF0C4F2",
          "<nobody",
          "~a b",
          "&a b",
          "%X~a",
          "%RR~a",
          "%RW",
          "+get|",
          "+config|",
          "+config|nonsense",
          "-config|nonsense",
          "-select|0",
          "+config|get|x",
          "+get|x|y",
          "+|get",
          "(+get",
          "(on)",
          "(>one)",
          "((+get))",
          "(\"~a b\")",
          ")",
          "r\u00e4");

  private final Random random;
  private final List<String> commands = new ArrayList<>();

  RandomRules(Random random, CommandTable table) {
    this.random = random;
    for (CommandSpec spec : table.specs()) {
      if (table.knows(spec.name()) && !spec.has(Trait.ALWAYS_KNOWN)) {
        commands.add(spec.name());
      }
    }
  }

  /** Returns up to eight rules; a few lists have one that is invalid. */
  List<String> list() {
    List<String> rules = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      rules.add(rule());
    }
    if (random.nextInt(4) == 0) {
      rules.add(random.nextInt(rules.size() + 1), pick(INVALID));
    }
    return rules;
  }

  private String rule() {
    return switch (random.nextInt(8)) {
      case 0 -> pick(OTHERS);
      case 1 -> selector();
      default -> selectorRule();
    };
  }

  /** Returns a selector, some with quotes. */
  private String selector() {
    var text = new StringBuilder("(");
    for (int i = random.nextInt(4); i > 0; i--) {
      String rule = selectorRule();
      boolean quoted = random.nextInt(5) == 0 && rule.indexOf('\\') < 0;
      text.append(quoted ? '"' + rule + '"' : rule).append(i > 1 ? " " : "");
    }
    return text.append(')').toString();
  }

  String selectorRule() {
    return switch (random.nextInt(10)) {
      case 0, 1 -> keys();
      case 2 -> "&" + pick(PATTERNS);
      case 3, 4 -> sign() + "@" + category();
      case 5 -> "+select|" + random.nextInt(3);
      case 6 -> pick(List.of("+config|get", "-config|SET", "+client", "-client|id", "+get|x"));
      default -> sign() + command();
    };
  }

  /**
   * Returns a pattern of keys. {@code %RW~*} is left out: for servers it differs from {@code ~*},
   * though they show both alike.
   */
  private String keys() {
    String pattern = pick(PATTERNS);
    List<String> prefixes = List.of("~", "~", "%R~", "%W~", "%rw~");
    return (pattern.equals("*") ? pick(prefixes.subList(1, 3)) : pick(prefixes)) + pattern;
  }

  private String category() {
    String name = AclCategory.values()[random.nextInt(AclCategory.values().length)].wireName();
    return random.nextInt(4) == 0 ? name.toUpperCase(Locale.ROOT) : name;
  }

  private String command() {
    String name = pick(commands);
    return random.nextInt(4) == 0 ? name.toUpperCase(Locale.ROOT) : name;
  }

  private String sign() {
    return random.nextBoolean() ? "+" : "-";
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
