package io.penstock.server.it;

import java.util.ArrayList;
import java.util.List;

/**
 * A reply taken apart, to compare what does not come in one order.
 *
 * @param head type and length or value, without its line end
 * @param payload of a string, else empty
 * @param elements of an aggregate; keys and values of a map by turns
 */
record Reply(String head, String payload, List<Reply> elements) {

  /** One whole reply. */
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

  /** A string's content, or the value of anything simpler. */
  String text() {
    return isString() ? payload : head.substring(1);
  }

  /** As it came. */
  String bytes() {
    var text = new StringBuilder(head).append("\r\n");
    if (isString()) {
      text.append(payload).append("\r\n");
    }
    elements.forEach(element -> text.append(element.bytes()));
    return text.toString();
  }

  /** The same with the elements of every aggregate, and the entries of every map, in order. */
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

  /** Types and numbers of elements only. */
  String shape() {
    if (type() == '-') {
      return bytes();
    }
    var text = new StringBuilder(elements.isEmpty() ? head.substring(0, 1) : head);
    elements.forEach(element -> text.append(element.shape()));
    return text.toString();
  }
}
