package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A push from a node, if it concerns subscriptions.
 *
 * @param kind of the subscription
 * @param word first element of the push
 * @param name the channel or pattern
 * @param channel the channel that the message was published to
 */
record Push(Kind kind, String word, Name name, Name channel) {

  /** Reads a push. Returns null if it does not concern subscriptions. Borrows the buffer. */
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

  /** Reads bulk strings of a complete push. */
  private static final class Reader {

    private final ByteBuf buffer;
    private int at;

    Reader(ByteBuf buffer, int at) {
      this.buffer = buffer;
      this.at = at;
    }

    /** Returns null if the next element is not a bulk string. */
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
