package io.penstock.server.it;

import io.penstock.testkit.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Splits a line as redis-cli does: words, and words in double quotes with escapes. */
final class InlineWords {

  private InlineWords() {}

  static List<byte[]> split(String line) {
    List<byte[]> words = new ArrayList<>();
    int at = 0;
    while (at < line.length()) {
      if (line.charAt(at) == ' ') {
        at++;
      } else if (line.charAt(at) == '"') {
        at = quoted(line, at + 1, words);
      } else {
        int end = line.indexOf(' ', at);
        end = end < 0 ? line.length() : end;
        words.add(Wire.bytes(line.substring(at, end)));
        at = end;
      }
    }
    return words;
  }

  private static int quoted(String line, int from, List<byte[]> words) {
    var word = new ByteArrayOutputStream();
    int at = from;
    while (line.charAt(at) != '"') {
      char c = line.charAt(at++);
      if (c != '\\') {
        word.write(c);
        continue;
      }
      char escaped = line.charAt(at++);
      switch (escaped) {
        case 'r' -> word.write('\r');
        case 'n' -> word.write('\n');
        case 'x' -> {
          word.write(Integer.parseInt(line.substring(at, at + 2), 16));
          at += 2;
        }
        default -> word.write(escaped);
      }
    }
    words.add(word.toByteArray());
    return at + 1;
  }
}
