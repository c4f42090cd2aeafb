package io.penstock.core.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.output.FlushQueue;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PendingReplyTest {

  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final FlushQueue queue = new FlushQueue(channel.eventLoop());
  private final SocketOutput output = new SocketOutput(channel.pipeline().lastContext(), queue);
  private final PendingReply pending = new PendingReply();

  @AfterEach
  void close() {
    pending.clear();
    channel.finishAndReleaseAll();
    queue.close();
  }

  private void append(String text) {
    ByteBuf buffer = Wire.buffer("<" + text + ">");
    pending.append(buffer, 1, 1 + text.length());
    buffer.release(); // pending bytes must not need it
  }

  private String moved() {
    pending.moveTo(output);
    channel.runPendingTasks();
    var text = new StringBuilder();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      text.append(Wire.text(out));
      out.release();
    }
    return text.toString();
  }

  @Test
  void smallPiecesBetweenLargeOnesWasteNoMemory() {
    for (int i = 0; i < 100; i++) {
      append("x".repeat(SocketOutput.SLICE_THRESHOLD));
      append("$-1\r\n");
    }
    long room = 0;
    for (ByteBuf piece : (CompositeByteBuf) pending.view()) {
      room += piece.unwrap() == null ? piece.capacity() : piece.unwrap().capacity();
    }
    assertThat(room).isLessThan(2L * pending.size());
  }

  @Test
  void smallPiecesAreCopiedIntoOneBuffer() {
    for (int i = 0; i < 100_000; i++) {
      append("$-1\r\n");
    }
    assertThat(pending.size()).isEqualTo(500_000);
    assertThat(((CompositeByteBuf) pending.view()).numComponents()).isLessThan(100);
    append("+OK\r\n");
    assertThat(moved()).isEqualTo("$-1\r\n".repeat(100_000) + "+OK\r\n");
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void smallRepliesAreCopied() {
    append("+OK\r\n");
    append(":1\r\n");

    assertThat(Wire.text(pending.view())).isEqualTo("+OK\r\n:1\r\n");
    assertThat(moved()).isEqualTo("+OK\r\n:1\r\n");
  }

  @Test
  void movedBytesAreNotPendingAnyMore() {
    append("+OK\r\n");
    moved();

    assertThat(pending.view().isReadable()).isFalse();
    assertThat(moved()).isEmpty();
    append("+AGAIN\r\n");
    assertThat(moved()).isEqualTo("+AGAIN\r\n");
  }

  @Test
  void largeRepliesRetainTheirBufferUntilReleased() {
    String reply = Wire.bulk("x".repeat(10_000));
    ByteBuf buffer = Wire.buffer(reply);
    pending.append(buffer, 0, reply.length());
    assertThat(buffer.refCnt()).isEqualTo(2);

    assertThat(moved()).isEqualTo(reply);

    assertThat(buffer.refCnt()).isEqualTo(1);
    buffer.release();
  }

  @Test
  void droppingALargeReplyReleasesIt() {
    ByteBuf buffer = Wire.buffer("x".repeat(10_000));
    pending.append(buffer, 0, 10_000);
    append("small");

    pending.clear();

    assertThat(buffer.refCnt()).isEqualTo(1);
    assertThat(pending.view().isReadable()).isFalse();
    buffer.release();
  }

  @Test
  void piecesOfAllSizesStayInOrder() {
    for (int[] sizes :
        new int[][] {
          {1, 256},
          {256, 1},
          {255, 1, 1},
          {10, 300, 10},
          {300, 10},
          {5_000, 10, 5_000},
          {10, 5_000, 300, 5_000},
          {257},
          {4_095},
          {4_096},
          {4_096, 4_096}
        }) {
      var expected = new StringBuilder();
      for (int size : sizes) {
        String piece = String.valueOf((char) ('a' + expected.length() % 26)).repeat(size);
        append(piece);
        expected.append(piece);
        assertThat(Wire.text(pending.view())).isEqualTo(expected.toString());
      }
      assertThat(moved()).isEqualTo(expected.toString());
    }
  }

  @Test
  void aReplyInAThousandPiecesStaysWhole() {
    String reply = "0123456789".repeat(10_000);
    for (byte[] piece : Splits.inPiecesOf(100, Wire.bytes(reply))) {
      append(Wire.text(piece));
    }

    assertThat(moved()).isEqualTo(reply);
  }

  @Test
  void anEmptyPendingReplyHasNoBytes() {
    assertThat(pending.view().isReadable()).isFalse();
    assertThat(moved()).isEmpty();
    pending.clear();
  }

  @Test
  void aSmallPartOfABufferNeedNotRetainAllOfIt() {
    ByteBuf buffer = Wire.buffer("x".repeat(20_000));

    pending.append(buffer, 100, 6_000, true);
    assertThat(buffer.refCnt()).isEqualTo(1);
    pending.append(buffer, 100, 6_000, false);
    assertThat(buffer.refCnt()).isEqualTo(2);

    pending.clear();
    assertThat(buffer.refCnt()).isEqualTo(1);
    buffer.release();
  }
}
