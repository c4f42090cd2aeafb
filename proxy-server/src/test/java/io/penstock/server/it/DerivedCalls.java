package io.penstock.server.it;

import io.penstock.core.spec.BeginSearch;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.FindKeys;
import io.penstock.core.spec.KeySpec;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Calls of a command derived from the command table: too few and too many arguments, unknown
 * subcommands, and for each key position a key of each type and a missing key, with other arguments
 * that are numbers, empty, binary or the key itself. All keys lie in one slot.
 */
final class DerivedCalls {

  /** Requests that replace all data before the calls of a command, one a line. */
  static final List<String> DATA =
      List.of(
          "FLUSHALL",
          "SET {d}string 12",
          "RPUSH {d}list a b 3",
          "HSET {d}hash f v 0 1",
          "SADD {d}set 1 2 3",
          "ZADD {d}zset 1 a 2 b",
          "XADD {d}stream 1-1 f v",
          "SET \"{d}\\x00\\xff\\r\\n\" \"\\x00\\xff\"");

  private static final List<String> KEYS =
      List.of(
          "{d}string",
          "{d}list",
          "{d}hash",
          "{d}set",
          "{d}zset",
          "{d}stream",
          "{d}none",
          "{d}\0\u00ff\r\n");

  /** No small number, which might be a time to live: replies must not depend on timing. */
  private static final List<String> FILLERS = List.of("0", "100000", "x", "", "\0\u00ff\r\n");

  private static final int MOST_ARGUMENTS = 6;

  private final CommandSpec spec;
  private final List<String> name;
  private final int least;
  private final List<List<byte[]>> calls = new ArrayList<>();

  private DerivedCalls(CommandSpec spec) {
    this.spec = spec;
    name = List.of(spec.name().split("\\|", -1));
    least = Math.abs(spec.arity());
  }

  /** Returns calls that a server rejects without reading the arguments. */
  static List<List<byte[]>> wrong(CommandSpec spec) {
    var derived = new DerivedCalls(spec);
    derived.addWrongArity();
    if (spec.isContainer()) {
      derived.addUnknownSubcommands();
    }
    return derived.calls;
  }

  /** Returns calls with a valid number of arguments. */
  static List<List<byte[]>> right(CommandSpec spec) {
    var derived = new DerivedCalls(spec);
    if (!spec.isContainer()) {
      int most = spec.arity() > 0 ? derived.least : derived.least + 2;
      for (int argc = derived.least; argc <= most; argc++) {
        derived.addWithKeys(argc);
      }
    }
    return derived.calls;
  }

  /**
   * Returns calls of any command with 0 to 6 arguments, all of them the same: a key of a type, a
   * missing key, and numbers unless the command may block.
   *
   * @param command its words
   * @param filter which calls are wanted, by their number of words
   */
  static List<List<byte[]>> counted(List<String> command, boolean blocks, IntPredicate filter) {
    List<String> kinds = new ArrayList<>(List.of("{d}string", "{d}hash", "{d}none"));
    if (!blocks) {
      kinds.addAll(List.of("100000", "0"));
    }
    List<List<byte[]>> calls = new ArrayList<>();
    for (int arguments = 0; arguments <= MOST_ARGUMENTS; arguments++) {
      if (filter.test(command.size() + arguments)) {
        for (String kind : arguments == 0 ? List.of("") : kinds) {
          List<String> words = new ArrayList<>(command);
          words.addAll(Collections.nCopies(arguments, kind));
          calls.add(words.stream().map(Wire::bytes).toList());
        }
      }
    }
    return calls;
  }

  private void addWrongArity() {
    for (int argc = name.size(); argc < least; argc++) {
      add(filled(argc, "x"));
    }
    if (spec.arity() > 0) {
      add(filled(least + 1, "x"));
      add(filled(least + 3, ""));
    }
  }

  private void addUnknownSubcommands() {
    for (String subcommand : List.of("BOGUS", "", "\0\u00ff\r\n")) {
      List<String> words = new ArrayList<>(name);
      words.add(subcommand);
      add(words);
      words.add("x");
      add(words);
    }
  }

  private void addWithKeys(int argc) {
    if (!spec.hasKeys()) {
      FILLERS.forEach(filler -> add(filled(argc, filler)));
      return;
    }
    for (String key : KEYS) {
      for (String filler : FILLERS) {
        add(withKeys(filled(argc, filler), key));
      }
      add(withKeys(filled(argc, key), key));
    }
  }

  private List<String> filled(int argc, String filler) {
    List<String> words = new ArrayList<>(name);
    words.addAll(Collections.nCopies(argc - name.size(), filler));
    return words;
  }

  private List<String> withKeys(List<String> words, String key) {
    for (KeySpec keys : spec.keySpecs()) {
      if (keys.begin() instanceof BeginSearch.Index(int first)) {
        switch (keys.find()) {
          case FindKeys.Range(int last, int step, int _) -> {
            int end = last < 0 ? words.size() + last : first + last;
            for (int i = first; i <= end && i < words.size(); i += step) {
              words.set(i, key);
            }
          }
          case FindKeys.KeyNum(int number, int offset, int _) -> {
            set(words, first + number, "1");
            set(words, first + offset, key);
          }
          case FindKeys.Unknown _ -> {}
        }
      }
    }
    return words;
  }

  private static void set(List<String> words, int at, String word) {
    if (at < words.size()) {
      words.set(at, word);
    }
  }

  private void add(List<String> words) {
    calls.add(words.stream().map(Wire::bytes).toList());
  }
}
