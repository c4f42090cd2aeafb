package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.Merge;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;

/**
 * Makes one reply of the replies to the groups of a divided command. If any is an error, the first
 * of them in the order of the keys is the reply.
 */
public final class ReplyMerger {

  private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] UNEXPECTED =
      "-ERR a node's reply to a part of this command cannot be merged\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  /** Takes the merged reply piece by piece. */
  public interface Sink {
    /** The next piece; the buffer is borrowed. */
    void piece(ByteBuf buffer, int from, int to);
  }

  private final Sink sink;

  public ReplyMerger(Sink sink) {
    this.sink = sink;
  }

  /**
   * Merges.
   *
   * @param replies whole replies by group, all readable bytes of each; borrowed
   * @param groupOfKey the group of each key in the caller's order
   * @return false when the result is an error reply
   */
  public boolean merge(Merge how, ByteBuf[] replies, int[] groupOfKey) {
    for (ByteBuf reply : replies) {
      if (reply.getByte(reply.readerIndex()) == '-') {
        sink.piece(reply, reply.readerIndex(), reply.writerIndex());
        return false;
      }
    }
    return switch (how) {
      case ALL_OK -> emit(OK, true);
      case SUM -> sum(replies);
      case ARRAY_BY_KEY -> interleave(replies, groupOfKey);
    };
  }

  private boolean sum(ByteBuf[] replies) {
    long sum = 0;
    for (ByteBuf reply : replies) {
      if (reply.getByte(reply.readerIndex()) != ':') {
        return emit(UNEXPECTED, false);
      }
      sum += number(reply);
    }
    return emit((":" + sum + "\r\n").getBytes(StandardCharsets.US_ASCII), true);
  }

  private boolean interleave(ByteBuf[] replies, int[] groupOfKey) {
    int[] at = new int[replies.length];
    int[] keysOfGroup = new int[replies.length];
    for (int group : groupOfKey) {
      keysOfGroup[group]++;
    }
    for (int i = 0; i < replies.length; i++) {
      ByteBuf reply = replies[i];
      if (reply.getByte(reply.readerIndex()) != '*' || number(reply) != keysOfGroup[i]) {
        return emit(UNEXPECTED, false);
      }
      at[i] = reply.indexOf(reply.readerIndex(), reply.writerIndex(), (byte) '\n') + 1;
    }
    emit(("*" + groupOfKey.length + "\r\n").getBytes(StandardCharsets.US_ASCII), true);
    var scanner = new ReplyScanner();
    for (int group : groupOfKey) {
      int end = scanner.scan(replies[group], at[group], replies[group].writerIndex());
      sink.piece(replies[group], at[group], end);
      at[group] = end;
    }
    return true;
  }

  /** The integer behind a reply's first byte; replies are whole and well-formed here. */
  private static long number(ByteBuf reply) {
    int at = reply.readerIndex() + 1;
    boolean negative = reply.getByte(at) == '-';
    if (negative) {
      at++;
    }
    long value = 0;
    for (byte b = reply.getByte(at); b >= '0' && b <= '9'; b = reply.getByte(++at)) {
      value = value * 10 + (b - '0');
    }
    return negative ? -value : value;
  }

  private boolean emit(byte[] bytes, boolean result) {
    sink.piece(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    return result;
  }
}
