package io.penstock.server.it;

import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random arguments of the kinds in {@code grammar.txt}: mostly valid ones, sometimes a key of
 * another type. The same random numbers produce the same arguments.
 */
final class RandomArguments {

  private static final int KEYS_OF_A_TYPE = 3;

  /** One key in this many has a type that the command does not expect. */
  private static final int WRONG_TYPE = 20;

  /** Sorted sets with equal scores; with others the result of BYLEX is not defined. */
  private static final String LEXICAL = "lexical";

  private static final List<String> TYPES =
      List.of(
          "string", "counter", "bits", "list", "hash", "set", "zset", "hll", "geo", "stream", "");

  /** None starts with NUL: SORT ALPHA compares C strings, and the order of equal ones varies. */
  private static final String BINARY = "\u00ff\0\r\n";

  private static final Map<String, List<String>> POOLS =
      Map.ofEntries(
          Map.entry(
              "value", List.of("", "a", "b", "c", "10", "-1", "3.5", BINARY, "v".repeat(300))),
          Map.entry("field", List.of("", "a", "b", "c", "d", "1", "-7", "2.5", BINARY)),
          Map.entry("member", List.of("", "a", "b", "c", "d", "1", "2", "33", BINARY)),
          Map.entry("int", List.of("0", "1", "2", "-1", "7", "100", "9223372036854775807", "-5")),
          Map.entry("index", List.of("0", "1", "2", "3", "5", "-1", "-2", "-3", "50", "-50")),
          Map.entry("count", List.of("0", "1", "2", "3", "10", "-1", "-2")),
          Map.entry("float", List.of("0", "1", "1.5", "-2.25", "3e3", "inf", "100", "0.1")),
          Map.entry("score", List.of("0", "1", "2", "-1", "1.5", "0.1", "inf", "-inf", "1e20")),
          Map.entry("bound", List.of("0", "1", "(1", "2", "-1", "(2", "-inf", "+inf", "1.5")),
          Map.entry("lex", List.of("-", "+", "[a", "(a", "[c", "(c", "[", "[1", "[" + BINARY)),
          Map.entry("offset", List.of("0", "1", "7", "8", "100", "1000", "#1")),
          Map.entry("bit", List.of("0", "1", "0", "1", "2")),
          Map.entry("type", List.of("u1", "u8", "i5", "i16", "u63", "i64", "u64")),
          Map.entry("second", List.of("33177117420", "33177117421", "1")),
          Map.entry("milli", List.of("33177117420000", "33177117421500", "1")),
          Map.entry("id", List.of("0", "0-1", "1-1", "1-2", "2-1", "3-7", "5", "10-1")),
          Map.entry("from", List.of("-", "0", "1-1", "(1-1", "2", "3-7")),
          Map.entry("to", List.of("+", "9", "3-7", "(3-7", "2", "1-1")),
          Map.entry("group", List.of("g1", "g2")),
          Map.entry("consumer", List.of("c1", "c2")),
          Map.entry("pattern", List.of("*", "a*", "[ab]", "?", "none*")),
          Map.entry("lon", List.of("13.361389", "15.087269", "2.35", "-0.1", "181")),
          Map.entry("lat", List.of("38.115556", "37.502669", "48.85", "51.5")),
          Map.entry("unit", List.of("m", "km", "mi", "ft")));

  private final Random random;
  private final String prefix;

  /**
   * @param prefix the prefix of every key; a hash tag keeps all keys in one slot
   */
  RandomArguments(Random random, String prefix) {
    this.random = random;
    this.prefix = prefix;
  }

  /** Returns whether the arguments of a kind are keys. */
  static boolean isKey(String kind) {
    return kind.equals("key") || kind.equals(LEXICAL) || TYPES.contains(kind);
  }

  byte[] next(String kind) {
    return Wire.bytes(isKey(kind) ? key(kind) : pick(POOLS.getOrDefault(kind, List.of())));
  }

  /** Returns an argument that no command expects. */
  byte[] junk() {
    return Wire.bytes(
        pick(List.of("", "abc", "9223372036854775808", "-1", "nan", BINARY, "1.5", "NX", "COUNT")));
  }

  /** Returns an argument that no command expects, in the slot of this object's keys. */
  byte[] junkKey() {
    return Wire.bytes(prefix + Wire.text(junk()));
  }

  /** Returns whether this may be a key of this object; without a prefix, any word may be one. */
  boolean isKey(byte[] word) {
    return Wire.text(word).startsWith(prefix);
  }

  private String key(String kind) {
    boolean any = kind.equals("key") || (random.nextInt(WRONG_TYPE) == 0 && !kind.equals(LEXICAL));
    String type = any ? pick(TYPES) : kind;
    return prefix + type + random.nextInt(KEYS_OF_A_TYPE);
  }

  private String pick(List<String> pool) {
    return pool.get(random.nextInt(pool.size()));
  }
}
