package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Merges arrays, sets and maps. Nothing is written before it is certain that the replies can be
 * merged.
 */
final class ElementMerger {

  private final ReplyMerger.Sink sink;

  ElementMerger(ReplyMerger.Sink sink) {
    this.sink = sink;
  }

  /** Merges arrays with one element per key, in the order of the keys. */
  SteppedMerge interleave(ByteBuf[] replies, int[] groupOfKey) {
    int[] keysOfGroup = new int[replies.length];
    for (int group : groupOfKey) {
      keysOfGroup[group]++;
    }
    ReplyCursor[] cursors = cursors(replies).toArray(ReplyCursor[]::new);
    for (int i = 0; i < replies.length; i++) {
      if (cursors[i].type() != '*' || cursors[i].elements() != keysOfGroup[i]) {
        throw new UnmergeableException();
      }
    }
    writeHeader('*', groupOfKey.length);
    return new SteppedMerge() {
      private int key;

      @Override
      public boolean step(int most) {
        for (int left = Math.min(most, groupOfKey.length - key); left > 0; left--) {
          ReplyCursor cursor = cursors[groupOfKey[key++]];
          int from = cursor.position();
          cursor.skip();
          sink.write(cursor.reply(), from, cursor.position());
        }
        return key < groupOfKey.length;
      }
    };
  }

  /** Joins all elements. Replies are passed on as they are. */
  void concat(ByteBuf[] replies) {
    List<ReplyCursor> cursors = cursors(replies);
    byte type = typeOfLists(cursors);
    long elements = 0;
    for (ReplyCursor cursor : cursors) {
      elements += cursor.elements();
    }
    writeHeader((char) type, elements);
    for (ReplyCursor cursor : cursors) {
      if (cursor.position() < cursor.end()) {
        sink.write(cursor.reply(), cursor.position(), cursor.end());
      }
    }
  }

  /** Joins the elements, each of them once, at its first place. */
  SteppedMerge union(ByteBuf[] replies) {
    Deque<ReplyCursor> cursors = new ArrayDeque<>(cursors(replies));
    byte type = typeOfLists(List.copyOf(cursors));
    cursors.forEach(ReplyCursor::elements); // skips the headers
    Set<ByteBuf> elements = new LinkedHashSet<>();
    return new SteppedMerge() {
      private @Nullable Iterator<ByteBuf> given;

      @Override
      public boolean step(int most) {
        Iterator<ByteBuf> giving = given;
        return giving == null ? collect(most) : give(giving, most);
      }

      private boolean collect(int most) {
        for (int left = most; left > 0 && !cursors.isEmpty(); left--) {
          ReplyCursor cursor = cursors.getFirst();
          if (cursor.position() < cursor.end()) {
            elements.add(next(cursor));
          } else {
            cursors.removeFirst();
          }
        }
        if (cursors.isEmpty()) {
          writeHeader((char) type, elements.size());
          given = elements.iterator();
        }
        return true;
      }

      private boolean give(Iterator<ByteBuf> giving, int most) {
        for (int left = most; left > 0 && giving.hasNext(); left--) {
          ByteBuf element = giving.next();
          sink.write(element, 0, element.readableBytes());
        }
        return giving.hasNext();
      }
    };
  }

  /** Merges integers element by element; all other elements must be the same in all replies. */
  SteppedMerge byElement(ByteBuf[] replies, LongBinaryOperator operator) {
    List<ReplyCursor> cursors = cursors(replies);
    byte type = typeOf(cursors);
    long count = cursors.getFirst().elements();
    for (ReplyCursor cursor : cursors.subList(1, cursors.size())) {
      if (cursor.elements() != count) {
        throw new UnmergeableException();
      }
    }
    ByteBuf merged = Unpooled.buffer(); // on the heap, so it need not be released
    return new SteppedMerge() {
      private long element;

      @Override
      public boolean step(int most) {
        for (int left = most; left > 0 && element < count; left--, element++) {
          merged.writeBytes(
              cursors.getFirst().isInteger() ? integers(cursors, operator) : sameInAll(cursors));
        }
        if (element < count) {
          return true;
        }
        writeHeader((char) type, type == '%' ? count / 2 : count);
        sink.write(merged, 0, merged.readableBytes());
        return false;
      }
    };
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
    int from = cursor.position();
    cursor.skip();
    return cursor.reply().slice(from, cursor.position() - from);
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

  private void writeHeader(char type, long count) {
    ByteBuf writeHeader = text(type + Long.toString(count) + "\r\n");
    sink.write(writeHeader, 0, writeHeader.readableBytes());
  }

  private static ByteBuf text(String ascii) {
    return Unpooled.wrappedBuffer(ascii.getBytes(StandardCharsets.US_ASCII));
  }
}
