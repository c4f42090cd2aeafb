package io.penstock.core.mirror;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A copy of a request that the copies get rewritten, and where its keys are. */
final class Call {

  private static final int MAX_DIGITS = 9;

  private final List<byte[]> arguments;
  private final KeyPositions keys;

  /** Borrows the frame. */
  Call(CommandSpec spec, RequestFrame frame) {
    arguments = CopyRequest.of(frame).arguments();
    keys = new KeyPositions();
    spec.findKeys(frame, keys);
  }

  int argc() {
    return arguments.size();
  }

  byte[] argument(int i) {
    return arguments.get(i);
  }

  List<byte[]> from(int first) {
    return arguments.subList(first, argc());
  }

  List<byte[]> range(int first, int end) {
    return arguments.subList(first, end);
  }

  /** Returns whether there is an argument {@code i}, and it is {@code word}, ignoring case. */
  boolean is(int i, String word) {
    if (i >= argc() || argument(i).length != word.length()) {
      return false;
    }
    byte[] argument = argument(i);
    for (int at = 0; at < argument.length; at++) {
      if (Ascii.toLower(argument[at]) != Ascii.toLower(word.charAt(at))) {
        return false;
      }
    }
    return true;
  }

  boolean isAny(int i, String... words) {
    for (String word : words) {
      if (is(i, word)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first argument from {@code from} on that is {@code word}; argc if none is. */
  int find(String word, int from) {
    int i = from;
    while (i < argc() && !is(i, word)) {
      i++;
    }
    return i;
  }

  String text(int i) {
    return new String(argument(i), StandardCharsets.ISO_8859_1);
  }

  /** Returns argument {@code i} as a number that is not negative; 0 if it is none. */
  long number(int i) {
    long number = 0;
    for (int at = 0; i < argc() && at < argument(i).length && at < MAX_DIGITS; at++) {
      int digit = argument(i)[at] - '0';
      if (digit < 0 || digit > 9) {
        return 0;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** Returns the first key. */
  byte[] key() {
    return argument(keys.get(0));
  }

  /** Returns the effect if a reply does not say what happened. */
  Effect copyAgain() {
    return Effect.CopyAgain.of(keys());
  }

  List<byte[]> keys() {
    List<byte[]> copies = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      copies.add(argument(keys.get(i)));
    }
    return copies;
  }

  /** Returns the index of the argument behind the last key. */
  int behindKeys() {
    return keys.get(keys.size() - 1) + 1;
  }
}
