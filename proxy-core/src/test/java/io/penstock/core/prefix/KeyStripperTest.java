package io.penstock.core.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyRewriter;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyStripperTest {

  private static final byte[] PREFIX = Wire.bytes("app:");

  private static String rewritten(ReplyRewriter rewriter, List<byte[]> pieces) {
    var out = new StringBuilder();
    ReplyRewriter.Output output = (buffer, from, to) -> out.append(Wire.text(buffer, from, to));
    for (byte[] piece : pieces) {
      ByteBuf buffer = Unpooled.wrappedBuffer(piece);
      rewriter.rewrite(buffer, 0, buffer.writerIndex(), output);
    }
    rewriter.end(output);
    return out.toString();
  }

  private static void expect(Place place, String reply, String expected) {
    Splits.forEach(
        Wire.bytes(reply),
        pieces -> {
          var rewriter = new KeyStripper(PREFIX, place);
          assertThat(rewritten(rewriter, pieces)).isEqualTo(expected);
          rewriter.reset();
          assertThat(rewritten(rewriter, pieces)).as("after a reset").isEqualTo(expected);
        });
  }

  @Test
  void eachElementIsAKey() {
    expect(
        Place.EACH,
        "*4\r\n$5\r\napp:a\r\n$4\r\napp:\r\n$3\r\napp\r\n$6\r\nother:\r\n",
        "*4\r\n$1\r\na\r\n$0\r\n\r\n$3\r\napp\r\n$6\r\nother:\r\n");
    expect(Place.EACH, "~1\r\n$8\r\napp:app:\r\n", "~1\r\n$4\r\napp:\r\n");
    expect(Place.EACH, "*0\r\n", "*0\r\n");
  }

  @Test
  void aHeaderMayGetShorter() {
    String key = "k".repeat(96);
    expect(Place.EACH, "*1\r\n$100\r\napp:" + key + "\r\n", "*1\r\n$96\r\n" + key + "\r\n");
  }

  @Test
  void theKeysOfScanStandBehindTheCursor() {
    expect(
        Place.SECOND,
        "*2\r\n$4\r\napp:\r\n*2\r\n$5\r\napp:a\r\n$5\r\napp:b\r\n",
        "*2\r\n$4\r\napp:\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  }

  @Test
  void aPoppedElementKeepsWhatItBeginsWith() {
    expect(Place.FIRST, "*2\r\n$5\r\napp:k\r\n$5\r\napp:e\r\n", "*2\r\n$1\r\nk\r\n$5\r\napp:e\r\n");
    expect(
        Place.FIRST,
        "*2\r\n$5\r\napp:k\r\n*1\r\n*2\r\n$5\r\napp:e\r\n,1.5\r\n",
        "*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$5\r\napp:e\r\n,1.5\r\n");
    expect(Place.FIRST, "*-1\r\n", "*-1\r\n");
    expect(Place.FIRST, "_\r\n", "_\r\n");
  }

  @Test
  void streamsHaveTheirKeyFirstInBothProtocols() {
    String entries = "*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$5\r\napp:f\r\n$5\r\napp:v\r\n";
    expect(
        Place.STREAMS,
        "*2\r\n*2\r\n$5\r\napp:a\r\n" + entries + "*2\r\n$5\r\napp:b\r\n" + entries,
        "*2\r\n*2\r\n$1\r\na\r\n" + entries + "*2\r\n$1\r\nb\r\n" + entries);
    expect(
        Place.STREAMS,
        "%2\r\n$5\r\napp:a\r\n" + entries + "$5\r\napp:b\r\n" + entries,
        "%2\r\n$1\r\na\r\n" + entries + "$1\r\nb\r\n" + entries);
  }

  @Test
  void namesAndCountsStandInTurn() {
    expect(
        Place.PAIRS,
        "*4\r\n$5\r\napp:a\r\n:1\r\n$5\r\napp:b\r\n:0\r\n",
        "*4\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:0\r\n");
  }

  @Test
  void keysAreCounted() {
    expect(Place.COUNTED, "*3\r\n$5\r\napp:a\r\n$5\r\napp:b\r\n$4\r\napp:\r\n", ":3\r\n");
    expect(Place.COUNTED, "*0\r\n", ":0\r\n");
    expect(Place.COUNTED, "-LOADING x\r\n", "-LOADING x\r\n");
  }

  @Test
  void aTransactionHasAReplyForEachCommand() {
    Place[] places = {
      Place.REPLY, Place.FIRST, Place.COUNTED, Place.EACH, Place.REPLY_AS_IT_IS, Place.STREAMS
    };
    String before =
        "*6\r\n$5\r\napp:v\r\n*2\r\n$5\r\napp:k\r\n$5\r\napp:e\r\n*2\r\n$5\r\napp:a\r\n$4\r\napp:\r\n"
            + "*1\r\n$5\r\napp:a\r\n-ERR no such key 'app:x'\r\n"
            + "-NOGROUP No such key 'app:s' or consumer group 'app:g' in x\r\n";
    String after =
        "*6\r\n$5\r\napp:v\r\n*2\r\n$1\r\nk\r\n$5\r\napp:e\r\n:2\r\n"
            + "*1\r\n$1\r\na\r\n-ERR no such key 'app:x'\r\n"
            + "-NOGROUP No such key 's' or consumer group 'app:g' in x\r\n";
    Splits.forEach(
        Wire.bytes(before),
        pieces -> assertThat(rewritten(new KeyStripper(PREFIX, places), pieces)).isEqualTo(after));
  }

  @Test
  void aTransactionMayHaveNoReplies() {
    Splits.forEach(
        Wire.bytes("*-1\r\n"),
        pieces ->
            assertThat(rewritten(new KeyStripper(PREFIX, new Place[] {Place.EACH}), pieces))
                .isEqualTo("*-1\r\n"));
  }

  @Test
  void confirmationsOfOneCommandMayBeSeveralReplies() {
    Place[] places = {Place.REPLY_AS_IT_IS, Place.REPLY_AS_IT_IS, Place.EACH};
    String confirmation = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n";
    String reply = "*2\r\n" + confirmation + confirmation;
    assertThat(
            rewritten(
                new KeyStripper(PREFIX, places),
                List.of(Wire.bytes(reply + "*1\r\n$5\r\napp:a\r\n"))))
        .isEqualTo(reply + "*1\r\n$1\r\na\r\n");
  }

  @Test
  void anErrorQuotesKeysWithoutThePrefix() {
    List<String> errors =
        List.of(
            "-NOGROUP No such key '%sk' or consumer group 'app:g'\r\n",
            "-NOGROUP No such consumer group 'app:g' for key name '%sk'\r\n",
            "-ERR unknown command 'x', with args beginning with: '%sa' '%sb' \r\n");
    for (String error : errors) {
      Splits.forEach(
          Wire.bytes(error.replace("%s", "app:")),
          pieces ->
              assertThat(rewritten(new ErrorStripper(PREFIX), pieces))
                  .isEqualTo(error.replace("%s", "")));
    }
  }

  @Test
  void anyOtherReplyPassesAsItComes() {
    String reply = "$9\r\nkey 'app:\r\n";
    Splits.forEach(
        Wire.bytes(reply),
        pieces -> assertThat(rewritten(new ErrorStripper(PREFIX), pieces)).isEqualTo(reply));
  }
}
