package io.penstock.core.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Calls of which servers make something, or nothing, or what only looks like something. */
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

  /** These words, and others. */
  static List<String> wordsAnd(String... others) {
    return Stream.concat(WORDS.stream(), Stream.of(others)).toList();
  }

  /** The command's name, and of {@code vocabulary} so many that there are {@code words} in all. */
  static List<String> of(CommandSpec spec, Random random, int words, List<String> vocabulary) {
    List<String> call = new ArrayList<>(Arrays.asList(spec.name().split("\\|", -1)));
    while (call.size() < words) {
      call.add(vocabulary.get(random.nextInt(vocabulary.size())));
    }
    return call;
  }
}
