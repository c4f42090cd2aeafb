package io.penstock.testkit.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses one whole RESP2 reply into the types of {@link RespClient#value}. */
final class ParsedReply {

  private final byte[] bytes;
  private int at;

  private ParsedReply(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * The value of a reply.
   *
   * @throws RespClient.ErrorReply if the reply is an error or contains one
   */
  static @Nullable Object of(byte[] reply) {
    return new ParsedReply(reply).next();
  }

  private @Nullable Object next() {
    char type = (char) bytes[at++];
    String line = line();
    return switch (type) {
      case '+' -> line;
      case '-' -> throw new RespClient.ErrorReply(line);
      case ':' -> Long.valueOf(line);
      case '$' -> bulk(Integer.parseInt(line));
      case '*' -> array(Integer.parseInt(line));
      default -> throw new IllegalStateException("not RESP2: " + type + line);
    };
  }

  private String line() {
    int from = at;
    while (bytes[at] != '\n') {
      at++;
    }
    at++;
    return Wire.text(Arrays.copyOfRange(bytes, from, at - 2));
  }

  private byte @Nullable [] bulk(int length) {
    if (length < 0) {
      return null;
    }
    byte[] content = Arrays.copyOfRange(bytes, at, at + length);
    at += length + 2;
    return content;
  }

  private @Nullable List<@Nullable Object> array(int size) {
    if (size < 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      elements.add(next());
    }
    return elements;
  }
}
