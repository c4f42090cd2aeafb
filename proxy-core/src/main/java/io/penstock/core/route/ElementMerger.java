package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongBinaryOperator;

/**
 * Merges arrays, sets and maps. Nothing is handed out before it is certain that the replies go
 * together.
 */
final class ElementMerger {

  private final ReplyMerger.Sink sink;

  ElementMerger(ReplyMerger.Sink sink) {
    this.sink = sink;
  }

  /** One element a key, in the order of the keys. */
  void interleave(ByteBuf[] replies, int[] groupOfKey) {
    int[] keysOfGroup = new int[replies.length];
    for (int group : groupOfKey) {
      keysOfGroup[group]++;
    }
    List<ReplyCursor> cursors = cursors(replies);
    for (int i = 0; i < replies.length; i++) {
      if (cursors.get(i).type() != '*' || cursors.get(i).elements() != keysOfGroup[i]) {
        throw new UnmergeableException();
      }
    }
    line('*', groupOfKey.length);
    for (int group : groupOfKey) {
      ReplyCursor cursor = cursors.get(group);
      int from = cursor.at();
      cursor.skip();
      sink.piece(cursor.reply(), from, cursor.at());
    }
  }

  /** All elements; big replies are handed on as they are. */
  void concat(ByteBuf[] replies) {
    List<ReplyCursor> cursors = cursors(replies);
    byte type = typeOfLists(cursors);
    long elements = 0;
    for (ReplyCursor cursor : cursors) {
      elements += cursor.elements();
    }
    line((char) type, elements);
    for (ReplyCursor cursor : cursors) {
      if (cursor.at() < cursor.end()) {
        sink.piece(cursor.reply(), cursor.at(), cursor.end());
      }
    }
  }

  /** Each element once, where it comes first. */
  void union(ByteBuf[] replies) {
    List<ReplyCursor> cursors = cursors(replies);
    byte type = typeOfLists(cursors);
    Set<ByteBuf> elements = new LinkedHashSet<>();
    for (ReplyCursor cursor : cursors) {
      for (long left = cursor.elements(); left > 0; left--) {
        int from = cursor.at();
        cursor.skip();
        elements.add(cursor.reply().slice(from, cursor.at() - from));
      }
    }
    line((char) type, elements.size());
    for (ByteBuf element : elements) {
      sink.piece(element, 0, element.readableBytes());
    }
  }

  /** Integers by place; everything else has to be the same in all replies. */
  void byElement(ByteBuf[] replies, LongBinaryOperator operator) {
    List<ReplyCursor> cursors = cursors(replies);
    byte type = typeOf(cursors);
    long count = cursors.getFirst().elements();
    for (ReplyCursor cursor : cursors.subList(1, cursors.size())) {
      if (cursor.elements() != count) {
        throw new UnmergeableException();
      }
    }
    List<ByteBuf> elements = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      elements.add(
          cursors.getFirst().isInteger() ? integers(cursors, operator) : sameInAll(cursors));
    }
    line((char) type, type == '%' ? count / 2 : count);
    for (ByteBuf element : elements) {
      sink.piece(element, 0, element.readableBytes());
    }
  }

  private static ByteBuf integers(List<ReplyCursor> cursors, LongBinaryOperator operator) {
    long result = cursors.getFirst().integer();
    for (ReplyCursor cursor : cursors.subList(1, cursors.size())) {
      result = operator.applyAsLong(result, cursor.integer());
    }
    return text(":" + result + "\r\n");
  }

  private static ByteBuf sameInAll(List<ReplyCursor> cursors) {
    ByteBuf same = next(cursors.getFirst());
    for (ReplyCursor cursor : cursors.subList(1, cursors.size())) {
      if (!same.equals(next(cursor))) {
        throw new UnmergeableException();
      }
    }
    return same;
  }

  private static ByteBuf next(ReplyCursor cursor) {
    int from = cursor.at();
    cursor.skip();
    return cursor.reply().slice(from, cursor.at() - from);
  }

  private static List<ReplyCursor> cursors(ByteBuf[] replies) {
    List<ReplyCursor> cursors = new ArrayList<>(replies.length);
    for (ByteBuf reply : replies) {
      cursors.add(new ReplyCursor(reply));
    }
    return cursors;
  }

  private static byte typeOfLists(List<ReplyCursor> cursors) {
    byte type = typeOf(cursors);
    if (type == '%') {
      throw new UnmergeableException();
    }
    return type;
  }

  private static byte typeOf(List<ReplyCursor> cursors) {
    byte type = cursors.getFirst().type();
    for (ReplyCursor cursor : cursors) {
      if (cursor.type() != type) {
        throw new UnmergeableException();
      }
    }
    return type;
  }

  private void line(char type, long count) {
    ByteBuf line = text(type + Long.toString(count) + "\r\n");
    sink.piece(line, 0, line.readableBytes());
  }

  private static ByteBuf text(String ascii) {
    return Unpooled.wrappedBuffer(ascii.getBytes(StandardCharsets.US_ASCII));
  }
}
