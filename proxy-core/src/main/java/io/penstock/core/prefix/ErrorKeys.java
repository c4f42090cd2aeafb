package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.reply.ReplyRewriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error of a node, in which the prefix is taken off the keys that it quotes. It is collected
 * until its end: a node's error comes in one piece nearly always.
 */
final class ErrorKeys {

  /** What precedes a key that an error quotes, in all versions of servers. */
  private static final List<String> QUOTES =
      List.of("key '", "key name '", "with args beginning with: '", "' '");

  private final byte[] prefix;
  private @Nullable ByteBuf collected; // on the heap

  ErrorKeys(byte[] prefix) {
    this.prefix = prefix;
  }

  /** Adds the next bytes, which are borrowed. Returns whether they end with a line end. */
  boolean add(ByteBuf buffer, int from, int to) {
    ByteBuf all = collected;
    if (all == null) {
      all = Unpooled.buffer(to - from);
      collected = all;
    }
    all.writeBytes(buffer, from, to - from);
    int length = all.readableBytes();
    return length > 1 && all.getByte(length - 2) == '\r';
  }

  void clear() {
    collected = null;
  }

  /** Writes the error without the prefix. */
  void writeTo(ReplyRewriter.Output out) {
    ByteBuf all = collected;
    if (all == null) {
      return;
    }
    collected = null;
    String text = all.toString(StandardCharsets.ISO_8859_1);
    String key = new String(prefix, StandardCharsets.ISO_8859_1);
    for (String quote : QUOTES) {
      text = text.replace(quote + key, quote);
    }
    ByteBuf rewritten = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    out.append(rewritten, 0, rewritten.readableBytes());
  }
}
