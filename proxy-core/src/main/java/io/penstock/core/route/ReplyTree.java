package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A whole reply parsed into objects, for reports that are small and rare. */
sealed interface ReplyTree {

  /** Writes the reply as it came, one character per byte. */
  void write(StringBuilder out);

  /**
   * A reply without elements.
   *
   * @param bytes its bytes as characters, with line ends
   */
  record Leaf(String bytes) implements ReplyTree {

    static Leaf integer(long value) {
      return new Leaf(":" + value + "\r\n");
    }

    boolean isInteger() {
      return bytes.charAt(0) == ':';
    }

    long integer() {
      if (!isInteger() || bytes.charAt(1) == '+') { // servers write no plus sign
        throw new UnmergeableException();
      }
      return Long.parseLong(bytes.substring(1, bytes.length() - 2));
    }

    /** Returns the content of a string, or what follows the type byte of anything else. */
    String text() {
      char type = bytes.charAt(0);
      int from = type == '$' || type == '=' ? bytes.indexOf('\n') + 1 : 1;
      return from > bytes.length() - 2 ? "" : bytes.substring(from, bytes.length() - 2);
    }

    /** Returns the same type of string or double with another content. */
    Leaf withText(String content) {
      char type = bytes.charAt(0);
      boolean counted = type == '$' || type == '=';
      if (!counted && type != ',') {
        throw new UnmergeableException();
      }
      String header = counted ? type + Integer.toString(content.length()) + "\r\n" : type + "";
      return new Leaf(header + content + "\r\n");
    }

    @Override
    public void write(StringBuilder out) {
      out.append(bytes);
    }
  }

  /**
   * An array, a set or a map.
   *
   * @param type the type byte of the protocol; the elements of a map are its names and values in
   *     turn
   */
  record Aggregate(char type, List<ReplyTree> elements) implements ReplyTree {

    /** Returns the entries of a RESP3 map, or of an array of names and values. */
    Map<String, ReplyTree> entries() {
      if (elements.size() % 2 != 0) {
        throw new UnmergeableException();
      }
      Map<String, ReplyTree> entries = new LinkedHashMap<>();
      for (int i = 0; i < elements.size(); i += 2) {
        entries.put(leaf(elements.get(i)).bytes(), elements.get(i + 1));
      }
      return entries;
    }

    /** Returns a map of the same form; names are as {@link #entries} returns them. */
    Aggregate withEntries(Map<String, ReplyTree> entries) {
      List<ReplyTree> flat = new ArrayList<>();
      entries.forEach((name, value) -> {
        flat.add(new Leaf(name));
        flat.add(value);
      });
      return new Aggregate(type, flat);
    }

    @Override
    public void write(StringBuilder out) {
      int count = type == '%' ? elements.size() / 2 : elements.size();
      out.append(type).append(count).append("\r\n");
      elements.forEach(element -> element.write(out));
    }
  }

  static Leaf leaf(ReplyTree tree) {
    return switch (tree) {
      case Leaf leaf -> leaf;
      case Aggregate _ -> throw new UnmergeableException();
    };
  }

  static Aggregate aggregate(ReplyTree tree) {
    return switch (tree) {
      case Leaf _ -> throw new UnmergeableException();
      case Aggregate aggregate -> aggregate;
    };
  }

  /** Deeper than any report; each level uses stack. */
  int MAX_DEPTH = 64;

  /**
   * Parses a whole, well-formed reply; borrows it.
   *
   * @throws UnmergeableException if arrays are nested deeper than {@link #MAX_DEPTH}
   */
  static ReplyTree read(ByteBuf reply) {
    return read(new ReplyCursor(reply), MAX_DEPTH);
  }

  private static ReplyTree read(ReplyCursor cursor, int levels) {
    if (levels == 0) {
      throw new UnmergeableException();
    }
    char type = (char) cursor.type();
    if (cursor.isNull() || (type != '*' && type != '~' && type != '%')) {
      int from = cursor.position();
      cursor.skip();
      int length = cursor.position() - from;
      return new Leaf(cursor.reply().toString(from, length, StandardCharsets.ISO_8859_1));
    }
    List<ReplyTree> elements = new ArrayList<>();
    for (long left = cursor.elements(); left > 0; left--) {
      elements.add(read(cursor, levels - 1));
    }
    return new Aggregate(type, elements);
  }
}
