package io.penstock.core.command;

import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Random calls, from valid ones to those that only look valid. */
final class RandomCalls {

  static final List<String> WORDS =
      List.of(
          "a",
          "b",
          "c",
          "d",
          "",
          "0",
          "1",
          "2",
          "3",
          "-1",
          "x",
          "STORE",
          "storedist",
          "STREAMS",
          "streams",
          "KEYS",
          "keys",
          "BY",
          "get",
          "LIMIT",
          "COUNT",
          "GROUP",
          "BLOCK",
          "NOACK",
          "AUTH",
          "auth2",
          "COPY",
          "REPLACE",
          "WEIGHTS",
          "km",
          "\u00ff\u0001");

  private RandomCalls() {}

  /** Returns the common words and these. */
  static List<String> wordsAnd(String... others) {
    return Stream.concat(WORDS.stream(), Stream.of(others)).toList();
  }

  /**
   * Returns a call of {@code words} arguments: the command's name and words of {@code vocabulary}.
   */
  static List<String> of(CommandSpec spec, Random random, int words, List<String> vocabulary) {
    List<String> call = new ArrayList<>(Arrays.asList(spec.name().split("\\|", -1)));
    while (call.size() < words) {
      call.add(vocabulary.get(random.nextInt(vocabulary.size())));
    }
    return call;
  }
}
