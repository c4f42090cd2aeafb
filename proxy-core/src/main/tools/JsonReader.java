import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses the JSON subset of the facts files: objects, arrays, strings, integers. */
final class JsonReader {

  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /** Returns {@link Map}s, {@link List}s, {@link String}s and {@link Long}s. */
  static Object read(String json) {
    JsonReader reader = new JsonReader(json);
    Object value = reader.value();
    if (reader.peek() != '\0') {
      throw reader.wrong("end of text");
    }
    return value;
  }

  private Object value() {
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    expect('{');
    while (peek() != '}') {
      String name = string();
      expect(':');
      object.put(name, value());
      if (peek() == ',') {
        at++;
      }
    }
    at++;
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    expect('[');
    while (peek() != ']') {
      array.add(value());
      if (peek() == ',') {
        at++;
      }
    }
    at++;
    return array;
  }

  private String string() {
    expect('"');
    int start = at;
    while (text.charAt(at) != '"') {
      if (text.charAt(at) == '\\') {
        throw wrong("a string without escapes");
      }
      at++;
    }
    return text.substring(start, at++);
  }

  private Long number() {
    int start = at;
    while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw wrong("a value");
    }
    return Long.valueOf(text.substring(start, at));
  }

  private char peek() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw wrong("'" + wanted + "'");
    }
    at++;
  }

  private IllegalArgumentException wrong(String wanted) {
    return new IllegalArgumentException("expected " + wanted + " at character " + at);
  }
}
