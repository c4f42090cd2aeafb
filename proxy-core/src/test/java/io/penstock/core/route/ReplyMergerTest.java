package io.penstock.core.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.spec.Merge;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyMergerTest {

  private static final String CANNOT =
      "-ERR a node's reply to a part of this command cannot be merged\r\n";

  /** Returns the merged reply, with a leading exclamation mark if it is an error. */
  private static String merged(Merge how, List<String> replies, int... groupOfKey) {
    var pieces = new StringBuilder();
    var merger = new ReplyMerger((buffer, from, to) -> pieces.append(Wire.text(buffer, from, to)));
    ByteBuf[] buffers =
        replies.stream().map(reply -> Wire.buffer("??" + reply)).toArray(ByteBuf[]::new);
    for (ByteBuf buffer : buffers) {
      buffer.readerIndex(2); // replies may begin anywhere in their buffer
    }
    boolean success = merger.merge(how, buffers, groupOfKey);
    for (ByteBuf buffer : buffers) {
      assertThat(buffer.refCnt()).isEqualTo(1);
      buffer.release();
    }
    return (success ? "" : "!") + pieces;
  }

  @Test
  void integersAreAdded() {
    assertThat(merged(Merge.SUM, List.of(":1\r\n", ":0\r\n", ":41\r\n"))).isEqualTo(":42\r\n");
    assertThat(merged(Merge.SUM, List.of(":-3\r\n", ":1\r\n"))).isEqualTo(":-2\r\n");
  }

  @Test
  void mapsAreNotMergedAsLists() {
    for (Merge how : List.of(Merge.CONCAT, Merge.UNION)) {
      assertThat(merged(how, List.of("%1\r\n+a\r\n:1\r\n", "%1\r\n+b\r\n:1\r\n")))
          .isEqualTo("!" + CANNOT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"*-1\r\n", "+success\r\n", ":1\r\n", ",1.5\r\n", "_\r\n"})
  void otherTypesAreNotMergedAsTexts(String reply) {
    assertThat(merged(Merge.TEXTS, List.of(reply, Wire.bulk("fine")))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.STATS, List.of("*2\r\n+a\r\n*-1\r\n", "*2\r\n+a\r\n,1.5\r\n")))
        .isEqualTo("!" + CANNOT);
  }

  /** A node's reply may be nested deeper than the stack allows. */
  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "LATEST", "HISTORY", "HISTOGRAM", "STATS", "TEXTS"})
  void aReplyThatIsNestedTooDeeplyIsAnError(Merge how) {
    String deep = "*1\r\n".repeat(200_000) + ":1\r\n";

    assertThat(merged(how, List.of(deep, deep), 10)).isEqualTo("!" + CANNOT);
  }

  @Test
  void elementsComeInTheOrderOfTheClientsKeys() {
    assertThat(
            merged(
                Merge.ARRAY_BY_KEY,
                List.of("*2\r\n$1\r\na\r\n$-1\r\n", "*1\r\n$1\r\nb\r\n", "*1\r\n$0\r\n\r\n"),
                0,
                1,
                2,
                0))
        .isEqualTo("*4\r\n$1\r\na\r\n$1\r\nb\r\n$0\r\n\r\n$-1\r\n");
  }

  @Test
  void elementsOfAnyTypeAreKeptWhole() {
    assertThat(
            merged(
                Merge.ARRAY_BY_KEY,
                List.of("*2\r\n*2\r\n:1\r\n:2\r\n_\r\n", "*1\r\n%1\r\n+k\r\n*0\r\n"),
                0,
                1,
                0))
        .isEqualTo("*3\r\n*2\r\n:1\r\n:2\r\n%1\r\n+k\r\n*0\r\n_\r\n");
  }

  @Test
  void okIsTheReplyIfEveryPartIsOk() {
    assertThat(merged(Merge.ALL_OK, List.of("+OK\r\n", "+OK\r\n"))).isEqualTo("+OK\r\n");
  }

  @Test
  void repliesThatAreNotErrorsMayBeEmptyForAllOk() {
    assertThat(merged(Merge.ALL_OK, List.of("", ""))).isEqualTo("+OK\r\n");
    assertThat(merged(Merge.ALL_OK, List.of("", "-OOM no\r\n", ""))).isEqualTo("!-OOM no\r\n");
  }

  @ParameterizedTest
  @EnumSource(
      names = {"ONE_SUCCEEDED", "TEXTS"},
      mode = EnumSource.Mode.EXCLUDE)
  void theFirstErrorIsTheReply(Merge how) {
    List<String> replies = List.of(":1\r\n", "-WRONGTYPE no\r\n", "-ERR later\r\n");
    assertThat(merged(how, replies, 0, 1, 2)).isEqualTo("!-WRONGTYPE no\r\n");
  }

  @Test
  void theFirstSuccessIsTheReplyIfOneIsEnough() {
    assertThat(merged(Merge.ONE_SUCCEEDED, List.of("-NOTBUSY no\r\n", "+OK\r\n")))
        .isEqualTo("+OK\r\n");
  }

  @Test
  void withoutSuccessTheMoreSpecificErrorIsTheReply() {
    assertThat(
            merged(
                Merge.ONE_SUCCEEDED,
                List.of("-NOTBUSY no\r\n", "-UNKILLABLE it wrote\r\n", "-ERR x\r\n")))
        .isEqualTo("!-UNKILLABLE it wrote\r\n");
    assertThat(merged(Merge.ONE_SUCCEEDED, List.of("-NOTBUSY no\r\n", "-NOTBUSY none\r\n")))
        .isEqualTo("!-NOTBUSY no\r\n");
  }

  @Test
  void equalRepliesAreReturnedOnce() {
    assertThat(merged(Merge.ALL_SUCCEEDED, List.of("$2\r\nab\r\n", "$2\r\nab\r\n")))
        .isEqualTo("$2\r\nab\r\n");
  }

  @Test
  void aSumBeyondSixtyFourBitsIsAnError() {
    String most = ":9223372036854775807\r\n";
    String least = ":-9223372036854775808\r\n";
    assertThat(merged(Merge.SUM, List.of(most, ":0\r\n"))).isEqualTo(most);
    assertThat(merged(Merge.SUM, List.of(least, ":0\r\n"))).isEqualTo(least);
    assertThat(merged(Merge.SUM, List.of(most, ":1\r\n"))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.SUM, List.of(":9223372036854775808\r\n", ":1\r\n")))
        .isEqualTo("!" + CANNOT);
  }

  @Test
  void theLeastIntegerIsTheReply() {
    assertThat(merged(Merge.MIN, List.of(":2\r\n", ":-1\r\n", ":5\r\n"))).isEqualTo(":-1\r\n");
  }

  @Test
  void arraysAreJoined() {
    assertThat(
            merged(
                Merge.CONCAT,
                List.of("*1\r\n$1\r\na\r\n", "*0\r\n", "*2\r\n$0\r\n\r\n*1\r\n:1\r\n")))
        .isEqualTo("*3\r\n$1\r\na\r\n$0\r\n\r\n*1\r\n:1\r\n");
    assertThat(merged(Merge.CONCAT, List.of("*0\r\n", "*0\r\n"))).isEqualTo("*0\r\n");
    assertThat(merged(Merge.CONCAT, List.of("~1\r\n:1\r\n", "~1\r\n:2\r\n")))
        .isEqualTo("~2\r\n:1\r\n:2\r\n");
  }

  @Test
  void aUnionHasEachElementOnce() {
    assertThat(
            merged(
                Merge.UNION,
                List.of("*2\r\n$1\r\nb\r\n$1\r\na\r\n", "*2\r\n$1\r\na\r\n$1\r\nc\r\n")))
        .isEqualTo("*3\r\n$1\r\nb\r\n$1\r\na\r\n$1\r\nc\r\n");
  }

  @Test
  void integersAreMergedElementByElement() {
    List<String> exist = List.of("*3\r\n:1\r\n:1\r\n:0\r\n", "*3\r\n:1\r\n:0\r\n:0\r\n");
    assertThat(merged(Merge.MIN_BY_ELEMENT, exist)).isEqualTo("*3\r\n:1\r\n:0\r\n:0\r\n");
    List<String> counts =
        List.of(
            "*4\r\n$1\r\nc\r\n:1\r\n$1\r\nc\r\n:1\r\n", "*4\r\n$1\r\nc\r\n:2\r\n$1\r\nc\r\n:2\r\n");
    assertThat(merged(Merge.SUM_BY_ELEMENT, counts))
        .isEqualTo("*4\r\n$1\r\nc\r\n:3\r\n$1\r\nc\r\n:3\r\n");
    assertThat(merged(Merge.SUM_BY_ELEMENT, List.of("%1\r\n+c\r\n:1\r\n", "%1\r\n+c\r\n:2\r\n")))
        .isEqualTo("%1\r\n+c\r\n:3\r\n");
  }

  @Test
  void elementsThatCannotBeMergedAreAnError() {
    for (String other :
        List.of("*0\r\n", "*1\r\n+d\r\n", "*1\r\n:1\r\n", "~1\r\n+c\r\n", ":1\r\n", "*-1\r\n")) {
      assertThat(merged(Merge.SUM_BY_ELEMENT, List.of("*1\r\n+c\r\n", other)))
          .as(other)
          .isEqualTo("!" + CANNOT);
    }
    String most = "*1\r\n:9223372036854775807\r\n";
    assertThat(merged(Merge.SUM_BY_ELEMENT, List.of(most, most))).isEqualTo("!" + CANNOT);
  }

  @ParameterizedTest
  @EnumSource(names = {"CONCAT", "UNION"})
  void onlyArraysOfOneKindAreJoined(Merge how) {
    for (String other : List.of(":1\r\n", "~1\r\n:1\r\n", "*-1\r\n", "$1\r\na\r\n", "_\r\n")) {
      assertThat(merged(how, List.of("*1\r\n:1\r\n", other))).as(other).isEqualTo("!" + CANNOT);
    }
  }

  @Test
  void aRandomReplyIsChosenAmongThoseThatAreNotNull() {
    List<String> replies = List.of("$-1\r\n", "$1\r\na\r\n", "_\r\n", "$1\r\nb\r\n");
    Set<String> seen = new TreeSet<>();
    for (int i = 0; i < 200; i++) {
      seen.add(merged(Merge.RANDOM, replies));
    }
    assertThat(seen).containsExactly("$1\r\na\r\n", "$1\r\nb\r\n");
    assertThat(merged(Merge.RANDOM, List.of("$-1\r\n", "$-1\r\n"))).isEqualTo("$-1\r\n");
    assertThat(merged(Merge.RANDOM, List.of("_\r\n", "_\r\n"))).isEqualTo("_\r\n");
  }

  @Test
  void theReplyWithARunningFunctionIsChosen() {
    String idle = "*4\r\n+running_script\r\n$-1\r\n+engines\r\n*0\r\n";
    String busy = "*4\r\n+running_script\r\n*2\r\n+name\r\n+f\r\n+engines\r\n*0\r\n";
    assertThat(merged(Merge.RUNNING, List.of(idle, busy))).isEqualTo(busy);
    assertThat(merged(Merge.RUNNING, List.of(idle, idle))).isEqualTo(idle);
    String idle3 = "%2\r\n+running_script\r\n_\r\n+engines\r\n%0\r\n";
    String busy3 = "%2\r\n+running_script\r\n%1\r\n+name\r\n+f\r\n+engines\r\n%0\r\n";
    assertThat(merged(Merge.RUNNING, List.of(idle3, busy3))).isEqualTo(busy3);
    assertThat(merged(Merge.RUNNING, List.of(idle3, "+OK\r\n"))).isEqualTo("!" + CANNOT);
  }

  @Test
  void repliesOfTheWrongShapeAreAnError() {
    assertThat(merged(Merge.SUM, List.of(":1\r\n", "+OK\r\n"))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.ARRAY_BY_KEY, List.of("*1\r\n:1\r\n", ":1\r\n"), 0, 1))
        .isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.ARRAY_BY_KEY, List.of("*2\r\n:1\r\n:2\r\n", "*1\r\n:1\r\n"), 0, 1))
        .isEqualTo("!" + CANNOT);
  }

  /** A line is passed on without being parsed; only integers that are added must be numbers. */
  @ParameterizedTest
  @ValueSource(strings = {"", "-", "+2", "x", "2x", "2 ", " 2", "1\n2", "1\r2", "--2"})
  void invalidIntegersAreAnError(String odd) {
    String one = ":1\r\n";
    String none = ":" + odd + "\r\n";
    assertThat(merged(Merge.SUM, List.of(one, none))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.MIN, List.of(none, one))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.SUM_BY_ELEMENT, List.of("*1\r\n" + one, "*1\r\n" + none)))
        .isEqualTo("!" + CANNOT);
    String entry = "*3\r\n:1\r\n" + none + ":7\r\n";
    assertThat(merged(Merge.NEWEST, List.of("*2\r\n" + entry(9) + entry), 2))
        .isEqualTo("!" + CANNOT);
  }

  @Test
  void aPartWithTooFewElementsAndAnotherWithTooManyAreAnError() {
    assertThat(merged(Merge.ARRAY_BY_KEY, List.of("*2\r\n:1\r\n:2\r\n", "*0\r\n"), 0, 1))
        .isEqualTo("!" + CANNOT);
  }

  private static String entry(long time) {
    return "*3\r\n:1\r\n:" + time + "\r\n:7\r\n";
  }

  @Test
  void theLatestEntriesAreReturnedUpToTheLimit() {
    List<String> replies = List.of("*2\r\n" + entry(9) + entry(3), "*0\r\n", "*1\r\n" + entry(5));

    assertThat(merged(Merge.NEWEST, replies, 2)).isEqualTo("*2\r\n" + entry(9) + entry(5));
    assertThat(merged(Merge.NEWEST, replies, 10))
        .isEqualTo("*3\r\n" + entry(9) + entry(5) + entry(3));
  }

  @Test
  void eachEventHasItsLatestLatencyAndItsMaximum() {
    assertThat(
            merged(
                Merge.LATEST,
                List.of(
                    "*1\r\n*4\r\n$3\r\nfoo\r\n:10\r\n:2\r\n:90\r\n",
                    "*2\r\n*4\r\n$3\r\nbar\r\n:11\r\n:1\r\n:1\r\n"
                        + "*4\r\n$3\r\nfoo\r\n:12\r\n:5\r\n:8\r\n")))
        .isEqualTo(
            "*2\r\n*4\r\n$3\r\nfoo\r\n:12\r\n:5\r\n:90\r\n"
                + "*4\r\n$3\r\nbar\r\n:11\r\n:1\r\n:1\r\n");
  }

  @Test
  void eventsOfOlderAndNewerServersAreMerged() {
    String older = "*1\r\n*4\r\n$3\r\nfoo\r\n:10\r\n:2\r\n:90\r\n";
    String newer = "*1\r\n*6\r\n$3\r\nfoo\r\n:12\r\n:5\r\n:8\r\n:20\r\n:3\r\n";
    String merged = "*1\r\n*6\r\n$3\r\nfoo\r\n:12\r\n:5\r\n:90\r\n:20\r\n:3\r\n";

    assertThat(merged(Merge.LATEST, List.of(older, newer))).isEqualTo(merged);
    assertThat(merged(Merge.LATEST, List.of(newer, older))).isEqualTo(merged);
    assertThat(merged(Merge.LATEST, List.of("*1\r\n*0\r\n", newer))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.NEWEST, List.of("*1\r\n*1\r\n:1\r\n", "*1\r\n*0\r\n"), 10))
        .isEqualTo("!" + CANNOT);
  }

  @Test
  void samplesAreSortedByTime() {
    assertThat(
            merged(
                Merge.HISTORY,
                List.of("*2\r\n*2\r\n:3\r\n:1\r\n*2\r\n:5\r\n:1\r\n", "*1\r\n*2\r\n:4\r\n:9\r\n")))
        .isEqualTo("*3\r\n*2\r\n:3\r\n:1\r\n*2\r\n:4\r\n:9\r\n*2\r\n:5\r\n:1\r\n");
  }

  private static String histogram(String type, int half, String name, String buckets) {
    return type + (half * 2) / (type.equals("%") ? 2 : 1) + "\r\n" + name + buckets;
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "%"})
  void histogramsAreAddedPerDuration(String type) {
    String get = "$3\r\nget\r\n";
    String calls = "$5\r\ncalls\r\n";
    String usec = "$14\r\nhistogram_usec\r\n";
    String one =
        histogram(type, 1, get, "")
            + histogram(type, 2, calls, ":5\r\n" + usec)
            + histogram(type, 2, ":1\r\n:2\r\n:8\r\n:5\r\n", "");
    String other =
        histogram(type, 1, get, "")
            + histogram(type, 2, calls, ":3\r\n" + usec)
            + histogram(type, 2, ":2\r\n:1\r\n:4\r\n:3\r\n", "");

    assertThat(merged(Merge.HISTOGRAM, List.of(one, other)))
        .isEqualTo(
            histogram(type, 1, get, "")
                + histogram(type, 2, calls, ":8\r\n" + usec)
                + histogram(type, 4, ":1\r\n:2\r\n:2\r\n:3\r\n:4\r\n:5\r\n:8\r\n:8\r\n", ""));
  }

  @Test
  void statsAreAddedAndRatiosAreMeans() {
    String one =
        "*8\r\n$1\r\na\r\n:1\r\n$1\r\nr\r\n$3\r\n1.5\r\n"
            + "$4\r\ndb.0\r\n*2\r\n$1\r\nx\r\n:4\r\n$18\r\nkeys.bytes-per-key\r\n:10\r\n";
    String other =
        "*6\r\n$1\r\na\r\n:2\r\n$1\r\nr\r\n$3\r\n2.5\r\n" + "$18\r\nkeys.bytes-per-key\r\n:20\r\n";

    assertThat(merged(Merge.STATS, List.of(one, other)))
        .isEqualTo(
            "*8\r\n$1\r\na\r\n:3\r\n$1\r\nr\r\n$18\r\n2.0000000000000000\r\n"
                + "$4\r\ndb.0\r\n*2\r\n$1\r\nx\r\n:4\r\n"
                + "$18\r\nkeys.bytes-per-key\r\n:15\r\n");
  }

  @Test
  void equalTextsAreReturnedOnce() {
    assertThat(merged(Merge.TEXTS, List.of("$2\r\nhi\r\n", "$2\r\nhi\r\n")))
        .isEqualTo("$2\r\nhi\r\n");
    assertThat(merged(Merge.TEXTS, List.of("=5\r\ntxt:a\r\n", "-ERR x\r\n")))
        .isEqualTo("=5\r\ntxt:a\r\n");
    assertThat(merged(Merge.TEXTS, List.of("-ERR x\r\n", "-ERR y\r\n"))).isEqualTo("!-ERR x\r\n");
  }

  @Test
  void differentTextsAreConcatenated() {
    String text = "# Shard 1 of 2\na\n# Shard 2 of 2\nb\n";

    assertThat(merged(Merge.TEXTS, List.of("$1\r\na\r\n", "$1\r\nb\r\n")))
        .isEqualTo(Wire.bulk(text));
    assertThat(merged(Merge.TEXTS, List.of("=5\r\ntxt:a\r\n", "=5\r\ntxt:b\r\n")))
        .isEqualTo("=" + (text.length() + 4) + "\r\ntxt:" + text + "\r\n");
  }

  @ParameterizedTest
  @EnumSource(names = {"NEWEST", "LATEST", "HISTORY", "HISTOGRAM", "STATS"})
  void reportsOfAnotherShapeCannotBeMerged(Merge how) {
    assertThat(merged(how, List.of("*1\r\n$1\r\na\r\n", "*1\r\n+a\r\n"), 10))
        .isEqualTo("!" + CANNOT);
  }
}
