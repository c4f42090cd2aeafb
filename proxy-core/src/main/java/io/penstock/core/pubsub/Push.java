package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A push of a node, as far as it concerns subscriptions.
 *
 * @param kind what it is about
 * @param word its first element
 * @param name the channel or pattern
 * @param channel the channel that a message was published to
 */
record Push(Kind kind, String word, Name name, Name channel) {

  /** Reads a push; null for one about something else. Borrows the buffer. */
  static @Nullable Push read(ByteBuf buffer, int from, int to) {
    var reader = new Reader(buffer, buffer.indexOf(from, to, (byte) '\n') + 1);
    Name first = reader.bulk();
    if (first == null) {
      return null;
    }
    String word = first.toString();
    Kind kind = Kind.ofPush(word);
    Name name = kind == null ? null : reader.bulk();
    if (kind == null || name == null) {
      return null;
    }
    Name channel = kind == Kind.PATTERN && kind.isMessage(word) ? reader.bulk() : name;
    return channel == null ? null : new Push(kind, word, name, channel);
  }

  boolean isMessage() {
    return kind.isMessage(word);
  }

  boolean isSubscribing() {
    return word.equals(kind.subscribe());
  }

  /** Reads bulk strings of a push that is known to be whole. */
  private static final class Reader {

    private final ByteBuf buffer;
    private int at;

    Reader(ByteBuf buffer, int at) {
      this.buffer = buffer;
      this.at = at;
    }

    /** Null when the next element is none. */
    @Nullable Name bulk() {
      if (buffer.getByte(at) != '$') {
        return null;
      }
      int end = buffer.indexOf(at, buffer.writerIndex(), (byte) '\n') + 1;
      String number = buffer.toString(at + 1, end - at - 3, StandardCharsets.ISO_8859_1);
      int length = Integer.parseInt(number);
      if (length < 0) {
        return null;
      }
      at = end + length + 2;
      return Name.copy(buffer, end, length);
    }
  }
}
