package io.penstock.server.it;

import java.util.ArrayList;
import java.util.List;

/**
 * A parsed reply, to compare replies whose elements may have any order.
 *
 * @param head type and length or value, without its line end
 * @param payload the bytes of a string, otherwise empty
 * @param elements the elements of an aggregate; keys and values of a map alternate
 */
record Reply(String head, String payload, List<Reply> elements) {

  /** Parses one complete reply. */
  static Reply parse(String bytes) {
    return new Parser(bytes).next();
  }

  private static final class Parser {
    private final String bytes;
    private int at;

    Parser(String bytes) {
      this.bytes = bytes;
    }

    Reply next() {
      int end = bytes.indexOf("\r\n", at);
      String head = bytes.substring(at, end);
      at = end + 2;
      return switch (head.charAt(0)) {
        case '$', '=', '!' -> new Reply(head, payload(length(head)), List.of());
        case '*', '~', '>' -> new Reply(head, "", elements(length(head)));
        case '%' -> new Reply(head, "", elements(2 * length(head)));
        default -> new Reply(head, "", List.of());
      };
    }

    private static int length(String head) {
      return Integer.parseInt(head.substring(1));
    }

    private String payload(int length) {
      if (length < 0) {
        return "";
      }
      String payload = bytes.substring(at, at + length);
      at += length + 2;
      return payload;
    }

    private List<Reply> elements(int count) {
      List<Reply> elements = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        elements.add(next());
      }
      return elements;
    }
  }

  private char type() {
    return head.charAt(0);
  }

  private boolean isString() {
    return "$=!".indexOf(type()) >= 0 && !head.endsWith("-1");
  }

  /** Returns the content of a string, or the value of a simple type. */
  String text() {
    return isString() ? payload : head.substring(1);
  }

  /** Returns the original bytes. */
  String bytes() {
    var text = new StringBuilder(head).append("\r\n");
    if (isString()) {
      text.append(payload).append("\r\n");
    }
    elements.forEach(element -> text.append(element.bytes()));
    return text.toString();
  }

  /** Returns the reply with the elements of all aggregates and the entries of all maps sorted. */
  String sorted() {
    if (elements.isEmpty()) {
      return bytes();
    }
    int step = type() == '%' ? 2 : 1;
    List<String> entries = new ArrayList<>();
    for (int i = 0; i < elements.size(); i += step) {
      String entry = elements.get(i).sorted();
      entries.add(step == 1 ? entry : entry + elements.get(i + 1).sorted());
    }
    return head + "\r\n" + String.join("", entries.stream().sorted().toList());
  }

  /** Returns only the types and the numbers of elements. */
  String shape() {
    if (type() == '-') {
      return bytes();
    }
    var text = new StringBuilder(elements.isEmpty() ? head.substring(0, 1) : head);
    elements.forEach(element -> text.append(element.shape()));
    return text.toString();
  }
}
