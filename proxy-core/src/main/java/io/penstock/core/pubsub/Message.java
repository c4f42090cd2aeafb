package io.penstock.core.pubsub;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyScanner;
import org.jspecify.annotations.Nullable;

/**
 * One message for the clients of a loop, encoded at most once for each of their protocols. Valid
 * only during {@link Subscriber#onMessage}.
 */
public final class Message {

  private final Kind kind;
  private final Name name;
  private final ByteBuf source;
  private final int from;
  private final int length;
  private @Nullable ByteBuf resp2;
  private @Nullable ByteBuf resp3;

  /**
   * @param kind of the name that it was published for
   * @param source borrowed; contains a RESP3 push from {@code from} to before {@code to}
   */
  Message(Kind kind, Name name, ByteBuf source, int from, int to) {
    this.kind = kind;
    this.name = name;
    this.source = source;
    this.from = from;
    this.length = to - from;
  }

  /** Kind of the name that it was published for. */
  public Kind kind() {
    return kind;
  }

  /** The channel, pattern or shard channel that it was published for. */
  public Name name() {
    return name;
  }

  /** Returns a copy that stays valid until the caller {@linkplain #release releases} it. */
  public Message copy() {
    ByteBuf bytes = copyFor(Protocol.RESP3).retainedDuplicate();
    var copy = new Message(kind, name, bytes, bytes.readerIndex(), bytes.readerIndex() + length);
    copy.resp3 = bytes;
    return copy;
  }

  /** Length of the encoded message in bytes. The encodings differ in the first byte only. */
  public int length() {
    return length;
  }

  /** Writes the message in the client's protocol. */
  public void writeTo(SocketOutput output, Protocol protocol) {
    if (protocol == Protocol.RESP2) {
      output.append(copyFor(protocol), 0, length);
    } else {
      output.append(source, from, length);
    }
  }

  /**
   * Returns the encoded message in a buffer that contains nothing else, for callers that retain it
   * for long. Borrowed; the same buffer for all callers.
   */
  public ByteBuf copyFor(Protocol protocol) {
    ByteBuf known = protocol == Protocol.RESP2 ? resp2 : resp3;
    if (known != null) {
      return known;
    }
    ByteBuf copy = ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(source, from, length);
    if (protocol == Protocol.RESP2) {
      copy.setByte(0, '*');
      resp2 = copy;
    } else {
      resp3 = copy;
    }
    return copy;
  }

  /**
   * Returns the encoded message without what its names begin with; the caller owns it.
   *
   * @param channel taken off the channel, if that begins with it
   * @param pattern taken off the pattern, if there is one that begins with it
   */
  public ByteBuf without(byte[] channel, byte[] pattern, Protocol protocol) {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(length);
    int to = from + length;
    int word = source.indexOf(from, to, (byte) '\n') + 1;
    int at = bulkEnd(word, to);
    out.writeByte(protocol == Protocol.RESP2 ? '*' : '>');
    out.writeBytes(source, from + 1, at - from - 1);
    if (kind == Kind.PATTERN) {
      at = copyBulk(at, to, pattern, out);
    }
    at = copyBulk(at, to, channel, out);
    return out.writeBytes(source, at, to - at);
  }

  /** Copies a bulk string without its prefix, if it has that. Returns the index behind it. */
  private int copyBulk(int at, int to, byte[] prefix, ByteBuf out) {
    int content = source.indexOf(at, to, (byte) '\n') + 1;
    int end = bulkEnd(at, to);
    int bytes = end - 2 - content;
    int taken = Name.begins(source, content, bytes, prefix) ? prefix.length : 0;
    Header.write(out, '$', bytes - taken);
    out.writeBytes(source, content + taken, end - content - taken);
    return end;
  }

  private int bulkEnd(int at, int to) {
    return new ReplyScanner().scan(source, at, to);
  }

  /** Releases the copies; callers that retained them keep them alive. */
  public void release() {
    if (resp2 != null) {
      resp2.release();
    }
    if (resp3 != null) {
      resp3.release();
    }
  }
}
