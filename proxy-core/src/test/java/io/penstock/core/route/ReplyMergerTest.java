package io.penstock.core.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.command.Merge;
import io.penstock.core.wire.Wire;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplyMergerTest {

  private static final String CANNOT =
      "-ERR a node's reply to a part of this command cannot be merged\r\n";

  /** The merged reply, with an exclamation mark in front when it is an error. */
  private static String merged(Merge how, List<String> replies, int... groupOfKey) {
    var pieces = new StringBuilder();
    var merger = new ReplyMerger((buffer, from, to) -> pieces.append(Wire.text(buffer, from, to)));
    ByteBuf[] buffers =
        replies.stream().map(reply -> Wire.buffer("??" + reply)).toArray(ByteBuf[]::new);
    for (ByteBuf buffer : buffers) {
      buffer.readerIndex(2); // replies may begin anywhere in their buffer
    }
    boolean fine = merger.merge(how, buffers, groupOfKey);
    for (ByteBuf buffer : buffers) {
      assertThat(buffer.refCnt()).isEqualTo(1);
      buffer.release();
    }
    return (fine ? "" : "!") + pieces;
  }

  @Test
  void integersAreAdded() {
    assertThat(merged(Merge.SUM, List.of(":1\r\n", ":0\r\n", ":41\r\n"))).isEqualTo(":42\r\n");
    assertThat(merged(Merge.SUM, List.of(":-3\r\n", ":1\r\n"))).isEqualTo(":-2\r\n");
  }

  @Test
  void elementsComeInTheOrderOfTheCallersKeys() {
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
  void elementsOfAnyShapeAreTakenWhole() {
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
  void okIsTheReplyWhenEveryPartSaysSo() {
    assertThat(merged(Merge.ALL_OK, List.of("+OK\r\n", "+OK\r\n"))).isEqualTo("+OK\r\n");
  }

  @Test
  void theFirstErrorIsTheReplyWhateverTheMerge() {
    List<String> replies = List.of(":1\r\n", "-WRONGTYPE no\r\n", "-ERR later\r\n");
    for (Merge how : Merge.values()) {
      assertThat(merged(how, replies, 0, 1, 2)).isEqualTo("!-WRONGTYPE no\r\n");
    }
  }

  @Test
  void repliesThatDoNotFitAreAnError() {
    assertThat(merged(Merge.SUM, List.of(":1\r\n", "+OK\r\n"))).isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.ARRAY_BY_KEY, List.of("*1\r\n:1\r\n", ":1\r\n"), 0, 1))
        .isEqualTo("!" + CANNOT);
    assertThat(merged(Merge.ARRAY_BY_KEY, List.of("*2\r\n:1\r\n:2\r\n", "*1\r\n:1\r\n"), 0, 1))
        .isEqualTo("!" + CANNOT);
  }

  @Test
  void aPartWithTooFewElementsAndAnotherWithTooManyAreAnError() {
    assertThat(merged(Merge.ARRAY_BY_KEY, List.of("*2\r\n:1\r\n:2\r\n", "*0\r\n"), 0, 1))
        .isEqualTo("!" + CANNOT);
  }
}
