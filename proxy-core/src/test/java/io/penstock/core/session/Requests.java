package io.penstock.core.session;

import io.penstock.testkit.wire.Wire;

/** Requests that many tests send. */
final class Requests {

  static final String PING = "*1\r\n$4\r\nPING\r\n";

  private Requests() {}

  static String get(String key) {
    return Wire.request("GET", key);
  }

  static String set(String key, String value) {
    return Wire.request("SET", key, value);
  }

  /** Encodes the words of a line as an array. */
  public static String call(String line) {
    return Wire.request(line.split(" ", -1));
  }
}
