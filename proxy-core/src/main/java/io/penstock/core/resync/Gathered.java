package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.resync.Questions.ReplySink;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reply that is kept, up to a number of bytes. RESP2 only. */
final class Gathered implements ReplySink {

  private final int most;
  private final ByteBuf bytes = Unpooled.buffer(64);
  private boolean tooLarge;

  /**
   * @param most bytes that are kept
   */
  Gathered(int most) {
    this.most = most;
  }

  @Override
  public void add(ByteBuf buffer, int from, int to) {
    if (tooLarge || to - from > most - bytes.readableBytes()) {
      tooLarge = true;
    } else {
      bytes.writeBytes(buffer, from, to - from);
    }
  }

  @Override
  public void end() {}

  /** Returns whether the reply has more bytes than are kept; there is no value then. */
  boolean isTooLarge() {
    return tooLarge;
  }

  /**
   * Returns the value: a {@code Long}, a {@code byte[]} for any string, a {@code List} of values,
   * or null. Once only.
   */
  @Nullable Object value() {
    String line = line();
    char type = line.charAt(0);
    String rest = line.substring(1);
    return switch (type) {
      case ':' -> Long.valueOf(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> elements(Integer.parseInt(rest));
      default -> rest.getBytes(StandardCharsets.ISO_8859_1);
    };
  }

  private String line() {
    int from = bytes.readerIndex();
    int newline = bytes.indexOf(from, bytes.writerIndex(), (byte) '\n');
    bytes.readerIndex(newline + 1);
    return bytes.toString(from, newline - 1 - from, StandardCharsets.ISO_8859_1);
  }

  private byte @Nullable [] bulk(int length) {
    if (length < 0) {
      return null;
    }
    byte[] content = ByteBufUtil.getBytes(bytes, bytes.readerIndex(), length);
    bytes.skipBytes(length + 2);
    return content;
  }

  private @Nullable List<@Nullable Object> elements(int count) {
    if (count < 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(value());
    }
    return elements;
  }

  /** Returns the value as a number; -1 if it is none. */
  long number() {
    return value() instanceof Long number ? number : -1;
  }

  /** Returns the value as text: each byte is a character. */
  String text() {
    return text(value());
  }

  /** Returns the elements of the value; none if it is no array. */
  List<?> list() {
    return value() instanceof List<?> elements ? elements : List.of();
  }

  static String text(@Nullable Object value) {
    return value instanceof byte[] content
        ? new String(content, StandardCharsets.ISO_8859_1)
        : String.valueOf(value);
  }
}
