package io.penstock.core.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.wire.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyScannerTest {

  /** Returns the replies found in the bytes, which must not depend on how they arrive. */
  private static List<String> replies(String wire) {
    byte[] bytes = Wire.bytes(wire);
    List<String> whole = feed(List.of(bytes));
    Splits.forEach(bytes, pieces -> assertThat(feed(pieces)).isEqualTo(whole));
    return whole;
  }

  /** Each piece is in its own buffer: the scanner must not read earlier pieces again. */
  private static List<String> feed(List<byte[]> pieces) {
    var scanner = new ReplyScanner();
    List<String> found = new ArrayList<>();
    var current = new StringBuilder();
    for (byte[] piece : pieces) {
      ByteBuf buffer = Unpooled.wrappedBuffer(piece);
      int at = 0;
      while (at < piece.length) {
        int end = scanner.scan(buffer, at, piece.length);
        if (end == ReplyScanner.MALFORMED) {
          found.add("malformed");
          return found;
        }
        if (end == ReplyScanner.INCOMPLETE) {
          assertThat(scanner.isInsideReply()).isTrue();
          current.append(Wire.text(buffer, at, piece.length));
          break;
        }
        assertThat(scanner.isInsideReply()).isFalse();
        found.add(current.append(Wire.text(buffer, at, end)).toString());
        current.setLength(0);
        at = end;
      }
    }
    if (!current.isEmpty()) {
      found.add("incomplete");
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+OK\r\n",
        "+\r\n",
        "+a status that is longer than the short way looks at\r\n",
        "-ERR no\r\n",
        "-MOVED 3999 127.0.0.1:6381\r\n",
        ":0\r\n",
        ":-1\r\n",
        ":9223372036854775807\r\n",
        "$0\r\n\r\n",
        "$5\r\nhello\r\n",
        "$4\r\n\r\n\r\n\r\n",
        "$-1\r\n",
        "$11\r\n$5\r\nhello\r\n\r\n",
        "*0\r\n",
        "*-1\r\n",
        "*2\r\n$1\r\na\r\n$-1\r\n",
        "*3\r\n:1\r\n*2\r\n+a\r\n*0\r\n$1\r\nb\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n-ERR deep\r\n"
      })
  void endsOfResp2RepliesAreFound(String reply) {
    assertThat(replies(reply + reply + "+next\r\n")).containsExactly(reply, reply, "+next\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "_\r\n",
        "#t\r\n",
        "#f\r\n",
        ",1.5\r\n",
        ",inf\r\n",
        ",-inf\r\n",
        ",nan\r\n",
        ",1e-7\r\n",
        "(3492890328409238509324850943850943825024385\r\n",
        "(-1\r\n",
        "!21\r\nSYNTAX invalid syntax\r\n",
        "=15\r\ntxt:Some string\r\n",
        "%0\r\n",
        "%2\r\n+a\r\n:1\r\n+b\r\n*2\r\n:2\r\n:3\r\n",
        "~0\r\n",
        "~2\r\n$1\r\na\r\n$1\r\nb\r\n",
        ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n",
        ">3\r\n+message\r\n+ch\r\n$2\r\nhi\r\n",
        "|1\r\n+ttl\r\n:3600\r\n$1\r\nv\r\n",
        "|2\r\n+a\r\n*1\r\n:1\r\n+b\r\n%1\r\n+c\r\n_\r\n*1\r\n:7\r\n",
        "*2\r\n|1\r\n+a\r\n:1\r\n:2\r\n|1\r\n+b\r\n_\r\n:3\r\n",
        "|0\r\n:1\r\n",
        "%1\r\n%1\r\n+k\r\n~1\r\n#t\r\n,0.1\r\n"
      })
  void endsOfResp3RepliesAreFound(String reply) {
    assertThat(replies(reply + reply + "_\r\n")).containsExactly(reply, reply, "_\r\n");
  }

  @Test
  void aReplyWithoutItsEndIsIncomplete() {
    for (String wire :
        List.of(
            "+OK",
            "+OK\r",
            "$5\r\nhello",
            "$5\r\nhello\r",
            "$5",
            "*2\r\n:1\r\n",
            "%1\r\n:1\r\n",
            "|1\r\n+a\r\n:1\r\n",
            "*1\r\n",
            "$",
            "$-",
            "*")) {
      assertThat(replies(wire)).as(wire).containsExactly("incomplete");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello\r\n",
        "\r\n",
        "\n",
        "\0\r\n",
        "\u00ff\r\n",
        "$\r\n",
        "$-\r\n",
        "$x\r\n",
        "$1x\r\n",
        "$--1\r\n",
        "$1-\r\n",
        "$?\r\n",
        "$+1\r\n",
        "$-5\r\n",
        "$-0\r\n",
        "*-2\r\n",
        "$5\nhello\r\n",
        "$1\rXa\r\n",
        "$1\r\r\na\r\n",
        "*1\n:1\r\n",
        "$\r1\r\na\r\n",
        "*?\r\n.\r\n",
        "*\r\n",
        "*x\r\n",
        "*?\r\n",
        "%\r\n",
        "~a\r\n",
        "=\r\n",
        ">1.5\r\n",
        "$9999999999999999999\r\n",
        "*9999999999999999999\r\n",
        "*1\r\nhello\r\n",
        "_nil\r\n",
        "_\n",
        "_\r\0\0\r\n",
        "_\r\r\n",
        "#\r\n",
        "#x\r\n",
        "#true\r\n",
        "#t\n",
        "*2\r\n_\r\n_ \r\n",
        "*2\r\n:1\r\n$x\r\n"
      })
  void invalidBytesAreMalformed(String wire) {
    assertThat(replies(wire)).containsExactly("malformed");
  }

  /** As client libraries read lines: a module may send anything. */
  @Test
  void aLineEndsOnlyWithCrLf() {
    for (String line :
        List.of("+a\nb\r\n", "-a\rb\n\r\r\n", "+\n\r\n", ":1\n\r\n", "(\r1\n2\r\n")) {
      assertThat(replies(line + "+next\r\n")).containsExactly(line, "+next\r\n");
      assertThat(replies("*2\r\n" + line + line + "_\r\n"))
          .containsExactly("*2\r\n" + line + line, "_\r\n");
    }
    assertThat(replies("+OK\n")).containsExactly("incomplete");
  }

  @Test
  void aLineWithoutEndIsMalformedOnceItIsTooLong() {
    var scanner = new ReplyScanner();
    ByteBuf piece = Unpooled.wrappedBuffer(Wire.bytes("x".repeat(1 << 20)));
    assertThat(scanner.scan(Unpooled.wrappedBuffer(Wire.bytes("+")), 0, 1))
        .isEqualTo(ReplyScanner.INCOMPLETE);
    for (int length = 0; length < ReplyScanner.LONGEST_LINE; length += 1 << 20) {
      assertThat(scanner.scan(piece, 0, 1 << 20)).isEqualTo(ReplyScanner.INCOMPLETE);
    }

    assertThat(scanner.scan(piece, 0, 1)).isEqualTo(ReplyScanner.MALFORMED);
  }

  @Test
  void invalidNegativeLengthsAreMalformed() {
    assertThat(replies("%-1\r\n+OK\r\n")).containsExactly("malformed");
    assertThat(replies("|-1\r\n+OK\r\n")).containsExactly("malformed");
  }

  @Test
  void impossibleCountsAreMalformedWithoutOverflow() {
    String huge = "*999999999999999999\r\n";
    assertThat(replies(huge.repeat(3))).containsExactly("malformed");
    assertThat(replies("%999999999999999999\r\n".repeat(3))).containsExactly("malformed");
  }

  @Test
  void hugeLengthsAreWaitedForWithoutOverflow() {
    assertThat(replies("$999999999999999999\r\nabc")).containsExactly("incomplete");
    assertThat(replies("$2147483647\r\nabc")).containsExactly("incomplete");
  }

  @Test
  void deepNestingNeedsNoStack() {
    String deep = "*1\r\n".repeat(200_000) + ":1\r\n";

    assertThat(feed(List.of(Wire.bytes(deep)))).containsExactly(deep);
  }

  @Test
  void resetForgetsAReplyInProgress() {
    var scanner = new ReplyScanner();
    ByteBuf buffer = Unpooled.copiedBuffer(Wire.bytes("*2\r\n$100\r\nabc"));
    scanner.scan(buffer, 0, buffer.writerIndex());
    assertThat(scanner.isInsideReply()).isTrue();

    scanner.reset();

    assertThat(scanner.isInsideReply()).isFalse();
    ByteBuf next = Unpooled.copiedBuffer(Wire.bytes("+OK\r\n"));
    assertThat(scanner.scan(next, 0, 5)).isEqualTo(5);
  }

  @Test
  void aReplyMayBeginAnywhereInTheBuffer() {
    ByteBuf buffer = Unpooled.copiedBuffer(Wire.bytes("xxx$2\r\nhi\r\nyyy"));

    assertThat(new ReplyScanner().scan(buffer, 3, buffer.writerIndex())).isEqualTo(11);
    assertThat(buffer.readerIndex()).isZero();
  }

  @Test
  void endsOfRandomRepliesAreFound() {
    Random random = Splits.random();
    for (int round = 0; round < 300; round++) {
      List<String> expected = new ArrayList<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        expected.add(RandomReply.of(random, true));
      }
      byte[] wire = Wire.bytes(String.join("", expected));
      assertThat(feed(List.of(wire))).isEqualTo(expected);
      assertThat(feed(Splits.inPiecesOf(1, wire))).isEqualTo(expected);
      assertThat(feed(Splits.atRandom(random, wire))).isEqualTo(expected);
    }
  }

  /** Neighbours with the same header are skipped together; the next one is of another kind. */
  @Test
  void endsOfRunsOfEqualBulksAreFound() {
    Random random = Splits.random();
    List<String> bulks =
        List.of(
            "$0\r\n\r\n",
            "$1\r\na\r\n",
            "$3\r\n$1\r\r\n",
            "$4\r\n$4\r\n\r\n",
            "$11\r\nhello world\r\n",
            "$12\r\nhello, world\r\n",
            "$0000011\r\nhello world\r\n",
            "$00000110\r\n" + "x".repeat(110) + "\r\n",
            "$-1\r\n",
            ":1\r\n",
            "+a\nb\r\n",
            "+a\nbcd\r\n",
            "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    for (int round = 0; round < 300; round++) {
      var reply = new StringBuilder();
      int count = 0;
      for (int run = 1 + random.nextInt(4); run > 0; run--) {
        int length = 1 + random.nextInt(7);
        reply.append(bulks.get(random.nextInt(bulks.size())).repeat(length));
        count += length;
      }
      String whole = "*" + count + "\r\n" + reply;
      byte[] wire = Wire.bytes(whole + whole);
      assertThat(feed(List.of(wire))).containsExactly(whole, whole);
      assertThat(feed(Splits.atRandom(random, wire))).containsExactly(whole, whole);
    }
  }

  /** Two independent decoders must find the same end of a reply. */
  @Test
  void lettuceFindsTheSameEnds() {
    Random random = Splits.random();
    for (int round = 0; round < 500; round++) {
      String reply = RandomReply.of(random, false);
      ByteBuf wire = Unpooled.copiedBuffer(Wire.bytes(reply + RandomReply.of(random, false)));

      var lettuce = new RedisStateMachine();
      assertThat(lettuce.decode(wire, new Ignored())).as(reply).isTrue();
      lettuce.close();

      int end = new ReplyScanner().scan(wire, 0, wire.writerIndex());
      assertThat(end).as(reply).isEqualTo(wire.readerIndex()).isEqualTo(reply.length());
    }
  }

  /** Accepts everything and keeps nothing. */
  private static final class Ignored extends CommandOutput<byte[], byte[], Object> {

    Ignored() {
      super(ByteArrayCodec.INSTANCE, new Object());
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {}

    @Override
    public void setSingle(@Nullable ByteBuffer bytes) {}

    @Override
    public void setBigNumber(@Nullable ByteBuffer bytes) {}

    @Override
    public void set(long integer) {}

    @Override
    public void set(double number) {}

    @Override
    public void set(boolean value) {}

    @Override
    public void setError(ByteBuffer error) {}

    @Override
    public void multi(int count) {}

    @Override
    public void multiArray(int count) {}

    @Override
    public void multiPush(int count) {}

    @Override
    public void multiMap(int count) {}

    @Override
    public void multiSet(int count) {}
  }
}
