package io.penstock.core.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected errors and decisions are those of redis-server 7.0.15 for the same bytes. */
class RequestScannerTest {

  private static final int MAX_BULK = 512 * 1024 * 1024;

  private static RequestScanner scanner() {
    return new RequestScanner(RespLimits.ofMaxBulkLength(MAX_BULK));
  }

  private static RequestScanner unauthenticated() {
    RequestScanner scanner = scanner();
    scanner.authenticated(false);
    return scanner;
  }

  /** Returns what was found in the bytes, which must not depend on how they arrive. */
  private static List<String> decoded(String wire) {
    return decoded(wire, RequestScannerTest::scanner);
  }

  private static List<String> decoded(String wire, Supplier<RequestScanner> scanners) {
    byte[] bytes = Wire.bytes(wire);
    List<String> whole = feed(List.of(bytes), scanners.get(), false);
    Splits.forEach(
        bytes,
        pieces -> {
          assertThat(feed(pieces, scanners.get(), false)).isEqualTo(whole);
          assertThat(feed(pieces, scanners.get(), true)).isEqualTo(whole);
        });
    return whole;
  }

  /**
   * Feeds pieces into one growing buffer, or into a new one for each piece that begins with the
   * bytes still needed, as a session's input does.
   */
  private static List<String> feed(List<byte[]> pieces, RequestScanner scanner, boolean moving) {
    List<String> found = new ArrayList<>();
    ByteBuf buffer = Unpooled.buffer();
    for (byte[] piece : pieces) {
      if (moving) {
        int from = scanner.start();
        buffer = Unpooled.buffer().writeBytes(buffer, from, buffer.writerIndex() - from);
        scanner.rebase(buffer, -from);
      }
      buffer.writeBytes(piece);
      if (!scanAll(scanner, buffer, found)) {
        break;
      }
    }
    return found;
  }

  private static boolean scanAll(RequestScanner scanner, ByteBuf buffer, List<String> found) {
    while (true) {
      switch (scanner.scan(buffer, buffer.writerIndex())) {
        case INCOMPLETE -> {
          return true;
        }
        case NOTHING -> found.add("nothing");
        case REQUEST -> found.add(String.join("|", arguments(scanner.frame())));
        case PROTOCOL_ERROR -> {
          found.add("error: " + scanner.error());
          return false;
        }
      }
    }
  }

  private static List<String> arguments(RequestFrame frame) {
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < frame.argc(); i++) {
      int from = frame.offset(i);
      arguments.add(Wire.text(frame.buffer(), from, from + frame.length(i)));
    }
    return arguments;
  }

  @Test
  void arraysOfBulkStringsAreRequests() {
    assertThat(decoded("*1\r\n$4\r\nPING\r\n")).containsExactly("PING");
    assertThat(decoded("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$12\r\nhello, world\r\n"))
        .containsExactly("SET|k|hello, world");
  }

  @Test
  void argumentsMayBeEmptyOrHoldAnyBytes() {
    assertThat(decoded("*3\r\n$3\r\nSET\r\n$0\r\n\r\n$6\r\n\r\n*1\0\u00ff\r\n"))
        .containsExactly("SET||\r\n*1\0\u00ff");
  }

  @Test
  void lengthsOfOneToFourDigitsAreRead() {
    for (int length : List.of(1, 9, 10, 99, 100, 999, 1_000)) {
      String argument = "x".repeat(length);
      assertThat(decoded("*1\r\n$" + length + "\r\n" + argument + "\r\n"))
          .containsExactly(argument);
    }
  }

  @Test
  void pipelinedRequestsAreFoundOneAfterTheOther() {
    assertThat(decoded("*1\r\n$4\r\nPING\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$1\r\na\r\n\r\nGET k\n"))
        .containsExactly("PING", "PING", "ECHO|a", "nothing", "GET|k");
  }

  @Test
  void anIncompleteRequestIsNotFound() {
    assertThat(decoded("*2\r\n$4\r\nECHO\r\n$1\r\na\r")).isEmpty();
    assertThat(decoded("*2\r\n$4\r\nECHO\r\n")).isEmpty();
    assertThat(decoded("*2\r")).isEmpty();
    assertThat(decoded("PING")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*0\r\n", "*-1\r\n", "*-999999999999999999\r\n", "\r\n", "\n", "  \t\r\n"})
  void emptyRequestsAreSkipped(String wire) {
    assertThat(decoded(wire + "*1\r\n$4\r\nPING\r\n")).containsExactly("nothing", "PING");
  }

  @Test
  void headerLinesEndAtTheFirstCarriageReturn() {
    assertThat(decoded("*1\rX$4\rXPINGXX")).containsExactly("PING");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*x\r\n",
        "*\r\n",
        "*01\r\n",
        "*+1\r\n",
        "*-0\r\n",
        "*-\r\n",
        "* 1\r\n",
        "*1 \r\n",
        "*1x\r\n",
        "*2147483648\r\n",
        "*9223372036854775807\r\n",
        "*9223372036854775808\r\n",
        "*99999999999999999999999999\r\n",
        "*\u00ff\r\n"
      })
  void aBadNumberOfArgumentsIsAnError(String wire) {
    assertThat(decoded(wire)).containsExactly("error: invalid multibulk length");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$x\r\n",
        "$\r\n",
        "$04\r\n",
        "$00\r\n",
        "$+4\r\n",
        "$-1\r\n",
        "$-0\r\n",
        "$4x\r\n",
        "$1x\r\n",
        "$536870913\r\n",
        "$4294967300\r\n",
        "$9223372036854775807\r\n",
        "$18446744073709551617\r\n",
        "$99999999999999999999999999\r\n"
      })
  void aBadLengthIsAnError(String header) {
    assertThat(decoded("*2\r\n$4\r\nECHO\r\n" + header))
        .containsExactly("error: invalid bulk length");
  }

  @Test
  void theLongestAllowedLengthIsNoErrorAndAllocatesNothing() {
    assertThat(decoded("*1\r\n$536870912\r\n")).isEmpty();
  }

  @Test
  void theLengthLimitAppliesToShortLengths() {
    Supplier<RequestScanner> small = () -> new RequestScanner(RespLimits.ofMaxBulkLength(5));

    assertThat(decoded("*1\r\n$5\r\nhello\r\n", small)).containsExactly("hello");
    assertThat(decoded("*1\r\n$6\r\n......\r\n", small))
        .containsExactly("error: invalid bulk length");
    assertThat(decoded("*1\r\n$10\r\n..........\r\n", small))
        .containsExactly("error: invalid bulk length");
  }

  @Test
  void moreArgumentsThanTheLimitAreAnError() {
    assertThat(decoded("*1048576\r\n")).isEmpty();
    assertThat(decoded("*1048577\r\n")).containsExactly("error: invalid multibulk length");
  }

  @Test
  void theErrorShowsAWrongFirstByteOfAnArgument() {
    assertThat(decoded("*1\r\nfoo\r\n")).containsExactly("error: expected '$', got 'f'");
    assertThat(decoded("*1\r\n:4\r\n")).containsExactly("error: expected '$', got ':'");
    assertThat(decoded("*1\r\n\u00ff\r\n")).containsExactly("error: expected '$', got '\u00ff'");
    assertThat(decoded("*2\r\n$4\r\nECHO\r\n*1\r\n"))
        .containsExactly("error: expected '$', got '*'");
  }

  @Test
  void anErrorShowsALineEndAsABlank() {
    assertThat(decoded("*1\r\n\r\n")).containsExactly("error: expected '$', got ' '");
    assertThat(decoded("*1\r\n\n\r\n")).containsExactly("error: expected '$', got ' '");
  }

  @Test
  void headerLinesWithoutAnEndAreAnErrorOnceTheyAreTooLong() {
    String digits = "1".repeat(65_536);

    assertThat(feedWhole("*" + digits)).containsExactly("error: too big mbulk count string");
    assertThat(feedWhole("*" + digits.substring(1))).isEmpty();
    assertThat(feedWhole("*1\r\n$" + digits)).containsExactly("error: too big bulk count string");
    assertThat(feedWhole("*1\r\n$" + digits.substring(1))).isEmpty();
  }

  @Test
  void theLongestHeaderLineMayArriveInPieces() {
    Supplier<RequestScanner> small =
        () -> new RequestScanner(new RespLimits(1_000, 100, 10, 10_000));

    assertThat(decoded("*000000000\r\n", small)).containsExactly("error: invalid multibulk length");
    assertThat(decoded("*1\r\n$000000000\r\n", small))
        .containsExactly("error: invalid bulk length");
    assertThat(decoded("*0000000000\r\n", small))
        .containsExactly("error: too big mbulk count string");
  }

  @Test
  void inlineRequestsWithoutAnEndAreAnErrorOnceTheyAreTooLong() {
    assertThat(feedWhole("a".repeat(65_536))).isEmpty();
    assertThat(feedWhole("a".repeat(65_537))).containsExactly("error: too big inline request");
  }

  @Test
  void longLinesInSmallPiecesAreFoundAsInOne() {
    byte[] wire = Wire.bytes("*1\r\n$" + "1".repeat(65_537));

    assertThat(feed(Splits.inPiecesOf(1_000, wire), scanner(), true))
        .containsExactly("error: too big bulk count string");
  }

  private static List<String> feedWhole(String wire) {
    return feed(List.of(Wire.bytes(wire)), scanner(), false);
  }

  @Test
  void beforeAuthenticationTenArgumentsAreAllowed() {
    assertThat(decoded("*10\r\n", RequestScannerTest::unauthenticated)).isEmpty();
    assertThat(decoded("*11\r\n", RequestScannerTest::unauthenticated))
        .containsExactly("error: unauthenticated multibulk length");
  }

  @Test
  void beforeAuthenticationArgumentsAreLimitedTo16KiB() {
    assertThat(decoded("*1\r\n$16384\r\n", RequestScannerTest::unauthenticated)).isEmpty();
    assertThat(decoded("*1\r\n$16385\r\n", RequestScannerTest::unauthenticated))
        .containsExactly("error: unauthenticated bulk length");
  }

  @Test
  void theUnauthenticatedLimitIsCheckedFirst() {
    assertThat(decoded("*60000000\r\n", RequestScannerTest::unauthenticated))
        .containsExactly("error: unauthenticated multibulk length");
  }

  /** As in a server, which searches for the end of a C string. */
  @ParameterizedTest
  @ValueSource(
      strings = {"PING\0\r\n", "\0\r\n", "*\0\r\n", "*1\0\r\n", "*1\r\n$\0\r\n", "*1\r\n$4\0\r\n"})
  void aLineWithAZeroByteHasNoEnd(String wire) {
    assertThat(decoded(wire + "PING\r\n")).isEmpty();
    assertThat(feedWhole(wire + "x".repeat(65_537)))
        .first()
        .asString()
        .startsWith("error: too big");
  }

  @Test
  void invalidNumbersAreNotUnauthenticatedErrors() {
    assertThat(decoded("*2147483648\r\n", RequestScannerTest::unauthenticated))
        .containsExactly("error: invalid multibulk length");
    assertThat(decoded("*1\r\n$536870913\r\n", RequestScannerTest::unauthenticated))
        .containsExactly("error: invalid bulk length");
  }

  @Test
  void inlineRequestsHaveNoLimitOfArgumentsBeforeAuthentication() {
    assertThat(decoded("1 2 3 4 5 6 7 8 9 10 11 12\r\n", RequestScannerTest::unauthenticated))
        .containsExactly("1|2|3|4|5|6|7|8|9|10|11|12");
  }

  @Test
  void authenticationRaisesTheLimitsForTheNextRequest() {
    RequestScanner scanner = unauthenticated();
    ByteBuf buffer = Unpooled.copiedBuffer(Wire.bytes("*1\r\n$4\r\nAUTH\r\n*11\r\n"));

    assertThat(scanner.scan(buffer, buffer.writerIndex())).isEqualTo(ScanResult.REQUEST);
    scanner.authenticated(true);

    assertThat(scanner.scan(buffer, buffer.writerIndex())).isEqualTo(ScanResult.INCOMPLETE);
  }

  @Test
  void inlineRequestsBecomeArraysOfBulkStrings() {
    RequestScanner scanner = scanner();
    ByteBuf buffer = Unpooled.copiedBuffer(Wire.bytes("SET \"a b\" ''\r\nrest"));

    assertThat(scanner.scan(buffer, buffer.writerIndex())).isEqualTo(ScanResult.REQUEST);

    RequestFrame frame = scanner.frame();
    assertThat(arguments(frame)).containsExactly("SET", "a b", "");
    assertThat(Wire.text(frame.buffer(), frame.start(), frame.end()))
        .isEqualTo("*3\r\n$3\r\nSET\r\n$3\r\na b\r\n$0\r\n\r\n");
    assertThat(scanner.consumed()).isEqualTo(14);
  }

  @Test
  void unbalancedQuotesAreAnError() {
    for (String line : List.of("PING 'a", "PING \"a\"b", "PING \"a", "PING \"a\\", "'a'b")) {
      assertThat(decoded(line + "\r\n")).containsExactly("error: unbalanced quotes in request");
    }
  }

  @Test
  void aFrameHasTheBoundsOfItsRequestAndOfEachArgument() {
    RequestScanner scanner = scanner();
    ByteBuf buffer =
        Unpooled.copiedBuffer(Wire.bytes("PING\r\n*2\r\n$4\r\nECHO\r\n$3\r\nfoo\r\n*1"));
    scanner.scan(buffer, buffer.writerIndex());

    assertThat(scanner.scan(buffer, buffer.writerIndex())).isEqualTo(ScanResult.REQUEST);

    RequestFrame frame = scanner.frame();
    assertThat(frame.buffer()).isSameAs(buffer);
    assertThat(frame.start()).isEqualTo(6);
    assertThat(frame.end()).isEqualTo(29);
    assertThat(frame.argc()).isEqualTo(2);
    assertThat(frame.offset(0)).isEqualTo(14);
    assertThat(frame.length(0)).isEqualTo(4);
    assertThat(frame.offset(1)).isEqualTo(24);
    assertThat(frame.length(1)).isEqualTo(3);
    assertThat(scanner.consumed()).isEqualTo(29);
    assertThat(buffer.refCnt()).isEqualTo(1);
  }

  @Test
  void missingBytesAreKnownOnceTheLengthIsKnown() {
    RequestScanner scanner = scanner();
    ByteBuf buffer = Unpooled.buffer().writeBytes(Wire.bytes("*2\r\n$4\r\nECHO\r\n$1000"));
    scanner.scan(buffer, buffer.writerIndex());
    assertThat(scanner.missing(buffer.writerIndex())).isZero();

    buffer.writeBytes(Wire.bytes("\r\nabc"));
    scanner.scan(buffer, buffer.writerIndex());

    assertThat(scanner.missing(buffer.writerIndex())).isEqualTo(999);
    assertThat(scanner.start()).isZero();
  }

  @Test
  void aLongRequestReleasesItsMemory() {
    String many = "*2000\r\n" + "$1\r\nx\r\n".repeat(2_000);

    assertThat(feedWhole(many + "*1\r\n$4\r\nPING\r\n"))
        .containsExactly("x|".repeat(1_999) + "x", "PING");
  }

  @Test
  void hostileBytesAreAtMostAnError() {
    Random random = Splits.random();
    byte[] alphabet = Wire.bytes("*$\r\n0123456789-+:\"'\\ x\0\u00ff");
    for (int round = 0; round < 5_000; round++) {
      byte[] wire = new byte[1 + random.nextInt(60)];
      for (int i = 0; i < wire.length; i++) {
        wire[i] = alphabet[random.nextInt(alphabet.length)];
      }
      wire[0] = (byte) (random.nextInt(4) == 0 ? wire[0] : '*');
      List<String> whole = feed(List.of(wire), scanner(), false);
      assertThat(feed(Splits.inPiecesOf(1, wire), scanner(), true))
          .as("%s", Wire.text(wire))
          .isEqualTo(whole);
    }
  }

  @Test
  void endsOfRandomRequestsAreFound() {
    Random random = Splits.random();
    for (int round = 0; round < 200; round++) {
      var wire = new StringBuilder();
      List<Integer> ends = new ArrayList<>();
      List<String> requests = new ArrayList<>();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        String[] arguments = randomArguments(random);
        wire.append(Wire.request(arguments));
        ends.add(wire.length());
        requests.add(String.join("|", arguments));
      }
      byte[] bytes = Wire.bytes(wire.toString());
      assertThat(ends(bytes)).isEqualTo(ends);
      assertThat(feed(Splits.atRandom(random, bytes), scanner(), random.nextBoolean()))
          .isEqualTo(requests);
    }
  }

  private static String[] randomArguments(Random random) {
    String[] arguments = new String[1 + random.nextInt(20)];
    for (int i = 0; i < arguments.length; i++) {
      byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 5_000 : 120)];
      random.nextBytes(bytes);
      arguments[i] = Wire.text(bytes);
    }
    return arguments;
  }

  private static List<Integer> ends(byte[] wire) {
    RequestScanner scanner = scanner();
    ByteBuf buffer = Unpooled.wrappedBuffer(wire);
    List<Integer> ends = new ArrayList<>();
    while (scanner.scan(buffer, wire.length) == ScanResult.REQUEST) {
      ends.add(scanner.frame().end());
    }
    return ends;
  }
}
