package io.penstock.core.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.testkit.wire.Wire;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ReplyWriterTest {

  private static String resp2(Consumer<ReplyWriter> reply) {
    return written(Protocol.RESP2, reply);
  }

  private static String resp3(Consumer<ReplyWriter> reply) {
    return written(Protocol.RESP3, reply);
  }

  private static String written(Protocol protocol, Consumer<ReplyWriter> reply) {
    ByteBuf out = Unpooled.buffer();
    reply.accept(new ReplyWriter(out, protocol));
    return Wire.text(out);
  }

  @Test
  void commonTypesAreTheSameInBothVersions() {
    Consumer<ReplyWriter> reply =
        writer -> {
          writer.array(4);
          writer.integer(-7);
          writer.status("OK");
          writer.error("ERR no");
          writer.bulk("text");
        };

    assertThat(resp2(reply))
        .isEqualTo("*4\r\n:-7\r\n+OK\r\n-ERR no\r\n$4\r\ntext\r\n")
        .isEqualTo(resp3(reply));
  }

  @Test
  void nullsMapsAndSetsDependOnTheVersion() {
    assertThat(resp2(ReplyWriter::nil)).isEqualTo("$-1\r\n");
    assertThat(resp3(ReplyWriter::nil)).isEqualTo("_\r\n");
    assertThat(resp2(writer -> writer.map(3))).isEqualTo("*6\r\n");
    assertThat(resp3(writer -> writer.map(3))).isEqualTo("%3\r\n");
    assertThat(resp2(writer -> writer.set(2))).isEqualTo("*2\r\n");
    assertThat(resp3(writer -> writer.set(2))).isEqualTo("~2\r\n");
  }

  @Test
  void verbatimTextIsABulkStringInResp2() {
    assertThat(resp2(writer -> writer.verbatim("id=1\n"))).isEqualTo("$5\r\nid=1\n\r\n");
    assertThat(resp3(writer -> writer.verbatim("id=1\n"))).isEqualTo("=9\r\ntxt:id=1\n\r\n");
  }

  @Test
  void bulkStringsCanBeCopiedFromABuffer() {
    ByteBuf source = Unpooled.copiedBuffer(Wire.bytes("xxa\r\nbyy"));

    assertThat(resp2(writer -> writer.bulk(source, 2, 4))).isEqualTo("$4\r\na\r\nb\r\n");
    assertThat(resp2(writer -> writer.bulk(source, 2, 0))).isEqualTo("$0\r\n\r\n");
    assertThat(source.readerIndex()).isZero();
    assertThat(source.refCnt()).isEqualTo(1);
  }

  @Test
  void charactersAreBytesOneToOne() {
    assertThat(resp2(writer -> writer.bulk("\u00e9\u00ff"))).isEqualTo("$2\r\n\u00e9\u00ff\r\n");
  }
}
