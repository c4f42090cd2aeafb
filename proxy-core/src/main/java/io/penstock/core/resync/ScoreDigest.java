package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.resync.Questions.ReplySink;
import io.penstock.core.shadow.ByteHash;
import java.nio.charset.StandardCharsets;

/**
 * A hash of members with their scores, in their order. Servers write the same number in different
 * ways, so a score is read.
 */
final class ScoreDigest implements ReplySink {

  private static final int LONGEST_SCORE = 64;

  private final ReplyScanner scanner = new ReplyScanner();
  private final ByteHash hash = new ByteHash();
  private final ByteBuf score = Unpooled.buffer(LONGEST_SCORE);
  private final ByteBuf number = Unpooled.buffer(Long.BYTES);
  private boolean headerEnded;
  private boolean inScore;
  private long result;

  @Override
  public void add(ByteBuf buffer, int from, int to) {
    int at = from;
    if (!headerEnded) {
      int newline = buffer.indexOf(from, to, (byte) '\n');
      headerEnded = newline >= 0;
      at = headerEnded ? newline + 1 : to;
    }
    while (at < to) {
      int end = scanner.scan(buffer, at, to);
      int next = end < 0 ? to : end;
      addPart(buffer, at, next);
      if (end >= 0) {
        endElement();
      }
      at = next;
    }
  }

  private void addPart(ByteBuf buffer, int from, int to) {
    if (inScore) {
      score.writeBytes(buffer, from, to - from);
    } else {
      hash.add(buffer, from, to);
    }
  }

  private void endElement() {
    if (inScore) {
      String[] lines = score.toString(StandardCharsets.ISO_8859_1).split("\r\n", -1);
      number.clear().writeLong(Double.doubleToLongBits(scoreOf(lines[1])));
      hash.add(number, 0, Long.BYTES);
      score.clear();
    }
    inScore = !inScore;
  }

  private static double scoreOf(String text) {
    return switch (text) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text) + 0.0; // -0 is 0
    };
  }

  @Override
  public void end() {
    result = hash.end();
  }

  long value() {
    return result;
  }
}
