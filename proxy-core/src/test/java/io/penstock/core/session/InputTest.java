package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InputTest {

  private static final String GET_A = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n";
  private static final String GET_B = "*2\r\n$3\r\nGET\r\n$1\r\nb\r\n";

  private final Input input = new Input(RespLimits.ofMaxBulkLength(1 << 20));

  @AfterEach
  void close() {
    input.close();
  }

  private ByteBuf add(String wire) {
    ByteBuf in = Wire.buffer(wire);
    input.add(in);
    return in;
  }

  private String frame() {
    RequestFrame frame = input.frame();
    return Wire.text(frame.buffer(), frame.start(), frame.end());
  }

  private String argument(int i) {
    RequestFrame frame = input.frame();
    return Wire.text(frame.buffer(), frame.offset(i), frame.offset(i) + frame.length(i));
  }

  private void expectRequest(String wire) {
    assertThat(input.scan()).isEqualTo(ScanResult.REQUEST);
    assertThat(frame()).isEqualTo(wire);
  }

  private void expectIncomplete() {
    assertThat(input.scan()).isEqualTo(ScanResult.INCOMPLETE);
  }

  @Test
  void anIdleClientUsesNoBuffer() {
    assertThat(input.isEmpty()).isTrue();
    expectIncomplete();

    ByteBuf in = add(GET_A);
    expectRequest(GET_A);
    expectIncomplete();

    assertThat(input.isEmpty()).isTrue();
    assertThat(input.size()).isZero();
    assertThat(in.refCnt()).isZero();
  }

  @Test
  void requestsAreScannedInTheReceivedBuffer() {
    ByteBuf in = add(GET_A + GET_B);

    expectRequest(GET_A);
    assertThat(input.frame().buffer()).isSameAs(in);
    expectRequest(GET_B);
    assertThat(input.frame().buffer()).isSameAs(in);
  }

  @Test
  void aShareKeepsTheRequestBytesAlive() {
    ByteBuf in = add(GET_A);
    expectRequest(GET_A);
    SharedBuffer share = input.shareFrame();
    expectIncomplete();
    assertThat(input.isEmpty()).isTrue();
    assertThat(in.refCnt()).isEqualTo(1);
    assertThat(Wire.text(share.buffer(), 0, GET_A.length())).isEqualTo(GET_A);

    share.release();

    assertThat(in.refCnt()).isZero();
  }

  @Test
  void aRequestCutInTwoIsMovedToItsOwnBuffer() {
    ByteBuf first = add(GET_A + "*2\r\n$3\r\nGE");
    expectRequest(GET_A);
    SharedBuffer share = input.shareFrame();
    expectIncomplete();
    assertThat(input.size()).isEqualTo(10);
    assertThat(first.refCnt()).isEqualTo(1);

    ByteBuf second = add("T\r\n$1\r\nb\r\n" + GET_A);
    assertThat(second.refCnt()).isZero();
    expectRequest(GET_B);
    assertThat(argument(0)).isEqualTo("GET");
    assertThat(argument(1)).isEqualTo("b");
    expectRequest(GET_A);

    assertThat(Wire.text(share.buffer(), 0, GET_A.length())).isEqualTo(GET_A);
    share.release();
    assertThat(first.refCnt()).isZero();
  }

  @Test
  void sharedBuffersAreNotWrittenTo() {
    add(GET_A + "*2\r\n$3\r\nGET\r\n");
    expectRequest(GET_A);
    SharedBuffer share = input.shareFrame();
    int written = share.buffer().writerIndex();

    add("$1\r\nb\r\n");

    assertThat(share.buffer().writerIndex()).isEqualTo(written);
    expectRequest(GET_B);
    share.release();
  }

  @Test
  void theBufferGrowsWithArrivedBytesNotAnnouncedOnes() {
    add("*2\r\n$3\r\nGET\r\n$1000000\r\n");
    expectIncomplete();
    add("x");
    expectIncomplete();
    assertThat(input.frame().buffer().capacity()).isLessThan(100_000);

    String rest = "x".repeat(999_999) + "\r\n";
    for (byte[] piece : Splits.inPiecesOf(50_000, Wire.bytes(rest))) {
      expectIncomplete();
      input.add(Wire.buffer(piece));
    }

    assertThat(input.scan()).isEqualTo(ScanResult.REQUEST);
    assertThat(input.frame().length(1)).isEqualTo(1_000_000);
    assertThat(argument(1)).isEqualTo("x".repeat(1_000_000));
    assertThat(input.frame().buffer().capacity()).isLessThan(3_000_000);
  }

  @Test
  void aRequestPutBackIsFoundAgain() {
    add(GET_A + GET_B);
    expectRequest(GET_A);
    input.putBack();

    expectRequest(GET_A);
    expectRequest(GET_B);
    expectIncomplete();
  }

  @Test
  void bytesMayArriveWhileARequestIsPutBack() {
    add(GET_A + GET_B);
    expectRequest(GET_A);
    SharedBuffer share = input.shareFrame();
    expectRequest(GET_B);
    input.putBack();

    add("*1\r\n$4");
    assertThat(input.size()).isEqualTo(GET_B.length() + 6);
    expectRequest(GET_B);
    assertThat(argument(1)).isEqualTo("b");
    input.putBack();
    add("\r\nPING\r\n");

    expectRequest(GET_B);
    SharedBuffer second = input.shareFrame();
    assertThat(argument(1)).isEqualTo("b");
    expectRequest("*1\r\n$4\r\nPING\r\n");
    expectIncomplete();
    assertThat(Wire.text(share.buffer(), 0, GET_A.length())).isEqualTo(GET_A);
    share.release();
    second.release();
  }

  @Test
  void anInlineRequestMayBePutBackToo() {
    add("GET a\r\nGET b\r\n");
    expectRequest(GET_A);
    input.putBack();
    add("PING\r\n");

    expectRequest(GET_A);
    SharedBuffer share = input.shareFrame();
    expectRequest(GET_B);
    expectRequest("*1\r\n$4\r\nPING\r\n");
    expectIncomplete();

    assertThat(Wire.text(share.buffer(), 0, GET_A.length())).isEqualTo(GET_A);
    share.release();
    assertThat(share.buffer().refCnt()).isZero();
  }

  @Test
  void theShareOfAnInlineRequestIsExclusive() {
    ByteBuf in = add("GET a\r\n");
    expectRequest(GET_A);
    SharedBuffer share = input.shareFrame();
    expectIncomplete();

    assertThat(in.refCnt()).isZero();
    assertThat(share.buffer().refCnt()).isEqualTo(1);
    share.release();
  }

  @Test
  void closeReleasesEverything() {
    ByteBuf in = add("*2\r\n$3\r\nGET\r\n");
    expectIncomplete();

    input.close();
    input.close();

    assertThat(in.refCnt()).isZero();
    assertThat(input.isEmpty()).isTrue();
  }

  @Test
  void receivedBytesMayBeginAnywhereInABuffer() {
    ByteBuf in = Wire.buffer("xxx" + GET_A).readerIndex(3);
    input.add(in);

    expectRequest(GET_A);
    assertThat(input.frame().start()).isEqualTo(3);
  }

  /** Combines pieces, retained shares, requests that are put back, and inline requests. */
  @Test
  void everyRequestIsFoundOnceInOrder() {
    Random random = Splits.random();
    for (int round = 0; round < 200; round++) {
      var wire = new StringBuilder();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String value =
            String.valueOf(i).repeat(1 + random.nextInt(random.nextInt(6) == 0 ? 900 : 9));
        expected.add(Wire.request("SET", "k", value));
        wire.append(random.nextInt(4) == 0 ? "SET k " + value + "\n" : expected.getLast());
      }
      assertThat(requestsIn(random, Wire.bytes(wire.toString()))).isEqualTo(expected);
      assertThat(input.isEmpty()).isTrue();
    }
  }

  private record Kept(SharedBuffer share, int from, int length, String bytes) {

    void check() {
      assertThat(Wire.text(share.buffer(), from, from + length)).isEqualTo(bytes);
      share.release();
    }
  }

  private List<String> requestsIn(Random random, byte[] wire) {
    List<String> found = new ArrayList<>();
    List<Kept> kept = new ArrayList<>();
    for (byte[] piece : Splits.atRandom(random, wire)) {
      input.add(Wire.buffer(piece));
      while (input.scan() == ScanResult.REQUEST) {
        if (random.nextInt(5) == 0) {
          input.putBack();
          break; // as in a session that must wait for an earlier request
        }
        RequestFrame frame = input.frame();
        found.add(frame());
        int length = frame.end() - frame.start();
        kept.add(new Kept(input.shareFrame(), frame.start(), length, frame()));
      }
      while (!kept.isEmpty() && random.nextBoolean()) {
        kept.removeFirst().check();
      }
    }
    while (input.scan() == ScanResult.REQUEST) {
      found.add(frame());
    }
    kept.forEach(Kept::check);
    return found;
  }
}
