package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Many patterns of a client, and the connections that have them. */
final class Patterns {

  /** Patterns of one connection to a node at most. */
  private static final int MOST = 1_000;

  private static final Pattern COUNT = Pattern.compile(" psub=(\\d+) ");

  private Patterns() {}

  private static String pattern(String prefix, int i) {
    return prefix + i + "?";
  }

  /** The request with {@code count} patterns that begin with {@code prefix}. */
  static String[] request(String command, String prefix, int count) {
    List<String> words = new ArrayList<>(List.of(command));
    for (int i = 0; i < count; i++) {
      words.add(pattern(prefix, i));
    }
    return words.toArray(String[]::new);
  }

  /**
   * Expects the confirmations.
   *
   * @param first number in the first one; others are more when subscribing, and less otherwise
   */
  static void expect(Subscriber subscriber, String word, String prefix, int count, int first) {
    int step = word.equals("psubscribe") ? 1 : -1;
    for (int i = 0; i < count; i++) {
      subscriber.expect(word, pattern(prefix, i), ":" + (first + step * i));
    }
  }

  /** The number of patterns of each connection to a node that has some. */
  static List<Integer> ofConnections(Member node) {
    return Arrays.stream(node.text("CLIENT", "LIST", "TYPE", "pubsub").split("\n"))
        .flatMap(line -> COUNT.matcher(line).results())
        .map((MatchResult found) -> Integer.valueOf(found.group(1)))
        .filter(count -> count > 0)
        .toList();
  }

  /**
   * Waits until the masters have so many patterns, of all connections together, the patterns that
   * both loops have counted once. No connection ever has too many.
   */
  static void awaitAtMasters(EmbeddedCluster cluster, int wanted) {
    Subscriber.await(
        wanted + " patterns at the masters",
        () -> {
          Map<Member, List<Integer>> connections =
              cluster.masters().stream()
                  .collect(Collectors.toMap(Function.identity(), Patterns::ofConnections));
          assertThat(connections.values())
              .allSatisfy(counts -> assertThat(counts).allMatch(count -> count <= MOST));
          return cluster.masters().stream()
                  .mapToInt(master -> Integer.parseInt(master.text("PUBSUB", "NUMPAT")))
                  .sum()
              == wanted;
        });
  }
}
