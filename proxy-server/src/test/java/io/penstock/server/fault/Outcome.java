package io.penstock.server.fault;

/**
 * What a reply says about whether its command ran; docs/reference/errors.md is where that is
 * promised.
 */
enum Outcome {
  DONE,
  NOT_RUN,
  UNKNOWN;

  /** The connection was lost before the reply came. */
  static final String CLOSED = "-CLOSED the connection was lost\r\n";

  /** There was no connection. */
  static final String REFUSED = "-REFUSED no connection\r\n";

  static Outcome of(String reply) {
    if (reply.charAt(0) != '-') {
      return DONE;
    }
    return switch (word(reply)) {
      case "CONNLOST", "TIMEOUT", "CLOSED" -> UNKNOWN;
      default -> NOT_RUN;
    };
  }

  /** The first word of an error. */
  static String word(String error) {
    int space = error.indexOf(' ');
    return error.substring(1, space < 0 ? error.length() - 2 : space);
  }
}
