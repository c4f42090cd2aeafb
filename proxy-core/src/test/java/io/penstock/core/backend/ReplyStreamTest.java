package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyStreamTest {

  private static final long LATER = 1_000;
  private static final int STREAMED_FROM = 16 * 1024;

  private final List<String> log = new ArrayList<>();
  private final NodeCounters counters = new NodeCounters();
  private ReplyStream stream = new ReplyStream(PushSink.NONE, counters);

  @AfterEach
  void close() {
    stream.close();
  }

  private TestExchange send(String name) {
    return send(name, LATER);
  }

  private TestExchange send(String name, long deadline) {
    var exchange = new TestExchange(name, log, deadline);
    stream.onSent(exchange);
    return exchange;
  }

  private @Nullable String receive(String wire) {
    ByteBuf in = Wire.buffer(wire);
    String problem = stream.onBytes(in);
    assertThat(in.refCnt()).isZero();
    return problem;
  }

  @Test
  void eachReplyGoesToTheOldestExchangeHoweverTheBytesAreSplit() {
    String wire = "+OK\r\n$3\r\nfoo\r\n*2\r\n:1\r\n$-1\r\n-ERR no\r\n%1\r\n+k\r\n_\r\n";
    Splits.forEach(
        Wire.bytes(wire),
        pieces -> {
          log.clear();
          stream = new ReplyStream(PushSink.NONE, counters);
          for (String name : List.of("a", "b", "c", "d", "e", "f")) {
            send(name);
          }
          for (byte[] piece : pieces) {
            assertThat(stream.onBytes(Wire.buffer(piece))).isNull();
          }
          assertThat(log)
              .containsExactly(
                  "a +OK\r\n",
                  "b $3\r\nfoo\r\n",
                  "c *2\r\n:1\r\n$-1\r\n",
                  "d -ERR no\r\n",
                  "e %1\r\n+k\r\n_\r\n");
          assertThat(stream.inFlight()).isEqualTo(1);
          stream.close();
        });
  }

  @Test
  void aLateSuccessReplyOfAReplacedNodeIsAnError() {
    send("a");
    send("b");
    stream.markReplaced();

    assertThat(receive("+OK\r\n")).isEqualTo("a late reply after another node took over");
    stream.close();

    assertThat(log).containsExactly("a CONNECTION_LOST", "b CONNECTION_LOST");
  }

  @Test
  void aLargeReplyOfAReplacedNodeIsNotPassedOn() {
    send("a");
    stream.markReplaced();

    assertThat(receive("$100000\r\n" + "x".repeat(STREAMED_FROM)))
        .isEqualTo("a late reply after another node took over");
    assertThat(log).isEmpty();
  }

  @Test
  void aReplacedNodeIsTrustedAfterItRedirects() {
    send("a");
    send("b");
    send("c");
    stream.markReplaced();

    assertThat(receive("-ERR no\r\n-MOVED 1 10.0.0.1:7000\r\n+OK\r\n")).isNull();

    assertThat(log).containsExactly("a -ERR no\r\n", "b -MOVED 1 10.0.0.1:7000\r\n", "c +OK\r\n");
  }

  @Test
  void aReplacedNodeWithoutPendingRepliesIsTrusted() {
    send("a");
    stream.markReplaced();
    assertThat(receive("-ERR no\r\n")).isNull();

    send("b");

    assertThat(receive("+OK\r\n")).isNull();
    assertThat(log).containsExactly("a -ERR no\r\n", "b +OK\r\n");
  }

  @Test
  void aCompleteLargeReplyIsPassedOnWhole() {
    String reply = Wire.bulk("x".repeat(100_000));
    send("a");

    receive(reply);

    assertThat(log).containsExactly("a " + reply);
  }

  @Test
  void aLargeReplyIsPassedOnWhileItArrives() {
    String reply = Wire.bulk("x".repeat(100_000));
    send("a");
    send("b");

    receive(reply.substring(0, 20_000));
    assertThat(log).containsExactly("a part " + reply.substring(0, 20_000));
    receive(reply.substring(20_000, 20_001));
    receive(reply.substring(20_001) + "+OK\r\n");

    assertThat(log)
        .containsExactly(
            "a part " + reply.substring(0, 20_000),
            "a part " + reply.substring(20_000, 20_001),
            "a last " + reply.substring(20_001),
            "b +OK\r\n");
  }

  private static void fail() {
    throw new IllegalStateException("defect");
  }

  @Test
  void anExchangeThatThrowsDoesNotAffectOthers() {
    send("a").thatRecovers().then(ReplyStreamTest::fail);
    send("b");
    send("c", 1).thatRecovers().then(ReplyStreamTest::fail);
    send("d", 1);
    send("e").then(ReplyStreamTest::fail);
    send("f");

    assertThat(receive("+1\r\n+2\r\n")).isNull();
    stream.expire(2);
    stream.close();

    assertThat(log)
        .containsExactly(
            "a +1\r\n",
            "a defect",
            "b +2\r\n",
            "c TIMEOUT",
            "c defect",
            "d TIMEOUT",
            "e CONNECTION_LOST",
            "e defect",
            "f CONNECTION_LOST");
  }

  @Test
  void theRestOfAReplyIsDroppedAfterItsCallbackThrew() {
    String reply = Wire.bulk("x".repeat(100_000));
    send("a").thatRecovers().then(ReplyStreamTest::fail);
    send("b");

    assertThat(receive(reply.substring(0, 20_000))).isNull();
    assertThat(receive(reply.substring(20_000, 40_000))).isNull();
    assertThat(receive(reply.substring(40_000) + "+2\r\n")).isNull();

    assertThat(log).containsExactly("a part " + reply.substring(0, 20_000), "a defect", "b +2\r\n");
  }

  @Test
  void anExceptionThatIsNotHandledIsThrown() {
    send("a").then(ReplyStreamTest::fail);

    assertThatThrownBy(() -> stream.onBytes(Wire.buffer("+1\r\n"))).hasRootCauseMessage("defect");
  }

  /** If they were copied with each read, a hundred gigabytes each would be copied. */
  @Test
  @Timeout(60)
  void joiningLargePushesAndErrorsTakesLinearTime() {
    String text = "x".repeat(16 * 1024 * 1024);
    List<Integer> pushed = new ArrayList<>();
    stream =
        new ReplyStream(
            (_, _, from, to) -> {
              pushed.add(to - from);
              return false;
            },
            counters);
    send("a");
    send("b");
    String push = ">3\r\n" + Wire.bulk("message") + Wire.bulk("ch") + Wire.bulk(text);
    for (byte[] piece : Splits.inPiecesOf(1_024, Wire.bytes("+OK\r\n" + push))) {
      assertThat(stream.onBytes(Wire.buffer(piece))).isNull();
    }
    for (byte[] piece : Splits.inPiecesOf(1_024, Wire.bytes("-" + text + "\r\n"))) {
      assertThat(stream.onBytes(Wire.buffer(piece))).isNull();
    }

    assertThat(pushed).containsExactly(push.length());
    assertThat(log).hasSize(2).startsWith("a +OK\r\n");
    assertThat(log.getLast()).hasSize("b -\r\n".length() + text.length());
  }

  @Test
  void partsAddUpToTheReplyHoweverItIsSplit() {
    String reply = "*3\r\n" + Wire.bulk("x".repeat(30_000)).repeat(3);
    for (int size : List.of(1_000, 1_460, 16_384, 20_000, 65_536)) {
      log.clear();
      send("a");
      for (byte[] piece : Splits.inPiecesOf(size, Wire.bytes(reply))) {
        assertThat(stream.onBytes(Wire.buffer(piece))).isNull();
      }
      assertThat(log.stream().map(entry -> entry.substring(7)).collect(Collectors.joining()))
          .as("pieces of %d", size)
          .isEqualTo(reply);
      assertThat(log.getLast()).startsWith("a last ");
      assertThat(log.stream().filter(entry -> entry.startsWith("a last "))).hasSize(1);
      assertThat(stream.inFlight()).isZero();
    }
  }

  @Test
  void aSmallReplyIsNotPassedOnInParts() {
    String reply = Wire.bulk("x".repeat(STREAMED_FROM));
    send("a");

    receive(reply.substring(0, STREAMED_FROM - 1));
    assertThat(log).isEmpty();
    receive(reply.substring(STREAMED_FROM - 1));

    assertThat(log).containsExactly("a " + reply);
  }

  @Test
  void errorsAreNeverPassedOnInParts() {
    String reply = "-ERR " + "x".repeat(50_000) + "\r\n";
    send("a");

    receive(reply.substring(0, 30_000));
    assertThat(log).isEmpty();
    receive(reply.substring(30_000));

    assertThat(log).containsExactly("a " + reply);
  }

  @Test
  void anExpiredExchangeFailsAndItsLateReplyIsDropped() {
    send("a", 10);
    send("b", 20);
    send("c", 30);

    stream.expire(9);
    assertThat(log).isEmpty();
    stream.expire(20);
    assertThat(log).containsExactly("a TIMEOUT", "b TIMEOUT");
    assertThat(stream.inFlight()).isEqualTo(3);
    receive("+late a\r\n+late b\r\n+c\r\n");

    assertThat(log).containsExactly("a TIMEOUT", "b TIMEOUT", "c +c\r\n");
  }

  @Test
  void deadlinesNeedNotBeInOrder() {
    send("a", 30);
    send("b", 10);

    stream.expire(10);
    stream.expire(30);

    assertThat(log).containsExactly("b TIMEOUT", "a TIMEOUT");
    receive("+a\r\n+b\r\n");
    assertThat(stream.inFlight()).isZero();
  }

  @Test
  void deadlinesMayOverflowAsNanoTimeDoes() {
    send("a", Long.MIN_VALUE + 5);

    stream.expire(Long.MAX_VALUE - 5);
    assertThat(log).isEmpty();
    stream.expire(Long.MIN_VALUE + 5);

    assertThat(log).containsExactly("a TIMEOUT");
  }

  @Test
  void aLargeLateReplyIsDroppedToo() {
    String reply = Wire.bulk("x".repeat(100_000));
    send("a", 10);
    send("b");
    stream.expire(10);

    receive(reply.substring(0, 50_000));
    receive(reply.substring(50_000) + "+b\r\n");

    assertThat(log).containsExactly("a TIMEOUT", "b +b\r\n");
  }

  @Test
  void aReplyPassedOnInPartsDoesNotExpire() {
    String reply = Wire.bulk("x".repeat(20_000));
    send("a", 10);
    send("b", 10);
    receive(reply.substring(0, 18_000));
    log.clear();

    stream.expire(10);
    receive(reply.substring(18_000));

    assertThat(log).containsExactly("b TIMEOUT", "a last " + reply.substring(18_000));
  }

  @Test
  void anExchangeSentDuringExpiryExpiresToo() {
    send("a", 10).then(() -> send("again", 20));

    stream.expire(10);
    stream.expire(20);

    assertThat(log).containsExactly("a TIMEOUT", "again TIMEOUT");
  }

  @Test
  void anUnexpectedReplyIsAnError() {
    send("a");

    assertThat(receive("+OK\r\n+OK\r\n")).isEqualTo("an unexpected reply");
    assertThat(log).containsExactly("a +OK\r\n");
  }

  /** Its end may never come, so it is reported immediately. */
  @ParameterizedTest
  @ValueSource(strings = {"$1000000\r\nab", "+O", "*", "*1000000\r\n", "!999999\r\nERR", "|1\r\n"})
  void theBeginningOfAnUnexpectedReplyIsAnError(String beginning) {
    send("a");

    assertThat(receive("+OK\r\n" + beginning)).isEqualTo("an unexpected reply");
    assertThat(log).containsExactly("a +OK\r\n");
  }

  @Test
  void anErrorReplyWithoutEndIsLimited() {
    send("a");
    byte[] piece = Wire.bytes("x".repeat(1 << 20));
    assertThat(receive("-ERR ")).isNull();

    int received = 0;
    String problem = null;
    while (problem == null) {
      received++;
      problem = stream.onBytes(Wire.buffer(piece));
    }

    assertThat(problem).isEqualTo("bytes that are not RESP");
    assertThat(received).isEqualTo(32);
    stream.close();
    assertThat(log).containsExactly("a CONNECTION_LOST");
  }

  @ParameterizedTest
  @ValueSource(strings = {">2\r\n+message\r\n$999999999999\r\n", "!999999999999\r\n"})
  void aBufferedReplyIsLimitedWhateverItsHeader(String header) {
    stream = new ReplyStream(PushSink.NONE, counters, 100_000);
    send("a");
    assertThat(receive(header)).isNull();

    int pieces = 0;
    String problem = null;
    while (problem == null) {
      pieces++;
      problem = receive("x".repeat(1_000));
    }

    assertThat(problem).isEqualTo("a reply that is too long to be buffered");
    assertThat(pieces).isEqualTo(100);
  }

  @Test
  void bytesThatAreNotRespAreAnError() {
    send("a");
    send("b");

    assertThat(receive("+OK\r\nHTTP/1.1 400 Bad Request\r\n")).isEqualTo("bytes that are not RESP");
    assertThat(log).containsExactly("a +OK\r\n");
  }

  @Test
  void pushesAreNotPassedToExchanges() {
    String push = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n";
    assertThat(receive(push)).isNull();
    send("a");
    Splits.forEach(
        Wire.bytes(push),
        pieces -> pieces.forEach(piece -> assertThat(stream.onBytes(Wire.buffer(piece))).isNull()));

    receive(push + "+OK\r\n" + push);

    assertThat(log).containsExactly("a +OK\r\n");
  }

  @Test
  void anErrorConsumedByThePushSinkIsNotPassedToAnExchange() {
    stream = new ReplyStream(new ConsumingErrors(), counters);
    String error = "-MOVED 1 :1\r\n";

    Splits.forEach(
        Wire.bytes(error),
        pieces -> pieces.forEach(piece -> assertThat(stream.onBytes(Wire.buffer(piece))).isNull()));
    send("a");
    receive(error + "+OK\r\n");

    assertThat(log).containsExactly("a +OK\r\n");
  }

  private static final class ConsumingErrors implements PushSink {
    @Override
    public boolean onPush(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
      return false;
    }

    @Override
    public boolean onError(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
      return true;
    }

    @Override
    public boolean mayOwnErrors() {
      return true;
    }
  }

  @Test
  void aPushSinkIsToldOfTheEndBeforeTheExchangesInFlight() {
    stream =
        new ReplyStream(
            new PushSink() {
              @Override
              public boolean onPush(@Nullable Exchange oldest, ByteBuf buffer, int from, int to) {
                return false;
              }

              @Override
              public void onClose() {
                log.add("closed");
              }
            },
            counters);
    send("a");

    stream.close();

    assertThat(log).containsExactly("closed", "a CONNECTION_LOST");
  }

  @Test
  void errorRepliesAreCountedByTheirFirstWord() {
    for (String name : List.of("a", "b", "c", "d", "e", "f", "g")) {
      send(name);
    }

    receive("-OOM command not allowed\r\n+OOM\r\n-OOMS x\r\n-NOAUTH\r\n-\r\n-OO\r\n");
    receive("*2\r\n-OOM nested\r\n:1\r\n");
    stream = new ReplyStream(new ConsumingErrors(), counters);
    receive("-MOVED 1 :1\r\n");

    assertThat(counters.errorReplies())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                ErrorPrefix.OOM, 1L,
                ErrorPrefix.NOAUTH, 1L,
                ErrorPrefix.MOVED, 1L,
                ErrorPrefix.OTHER, 3L));
  }

  @Test
  void closingFailsEverythingInFlightOldestFirst() {
    send("a");
    send("b", 10);
    send("c");
    stream.expire(10);
    receive("$100\r\nthe beginning");

    stream.close();

    assertThat(log).containsExactly("b TIMEOUT", "a CONNECTION_LOST", "c CONNECTION_LOST");
    assertThat(stream.inFlight()).isZero();
  }

  @Test
  void itMayBeClosedInTheMiddleOfALargeReply() {
    send("a");
    receive("$100000\r\n" + "x".repeat(20_000));
    log.clear();

    stream.close();

    assertThat(log).containsExactly("a CONNECTION_LOST");
  }

  /** As a failed handshake does. The rest of the bytes read is not kept. */
  @Test
  void aCallbackMayCloseTheStreamWithMoreBytesToCome() {
    send("a").then(stream::close);
    send("b");

    receive("-WRONGPASS no\r\n-NOAUTH Authentic");

    assertThat(log).containsExactly("a -WRONGPASS no\r\n", "b CONNECTION_LOST");
    stream =
        new ReplyStream(
            PushSink.NONE,
            counters); // the old one is not closed again: bytes that it kept would leak
  }

  @Test
  void closingFailsAllEvenIfACallbackThrows() {
    for (String name : List.of("a", "b", "c")) {
      send(name).then(ReplyStreamTest::fail);
    }

    stream.close();

    assertThat(log)
        .containsSubsequence("a CONNECTION_LOST", "b CONNECTION_LOST", "c CONNECTION_LOST");
  }

  @Test
  void allExpireEvenIfACallbackThrows() {
    for (String name : List.of("a", "b", "c")) {
      send(name).then(ReplyStreamTest::fail);
    }

    stream.expire(LATER);

    assertThat(log).containsSubsequence("a TIMEOUT", "b TIMEOUT", "c TIMEOUT");
  }
}
