package io.penstock.server.fault;

/** Whether a command ran, according to its reply; see docs/reference/errors.md. */
enum Outcome {
  DONE,
  NOT_RUN,
  /** Whether it ran is not known, or what it was answered. */
  UNKNOWN;

  /** The connection was lost before the reply arrived. */
  static final String CLOSED = "-CLOSED the connection was lost\r\n";

  /** The connection could not be opened. */
  static final String NO_CONNECTION = "-REFUSED no connection\r\n";

  static Outcome of(String reply) {
    if (reply.charAt(0) != '-') {
      return DONE;
    }
    return switch (prefix(reply)) {
      case "CONNLOST", "TIMEOUT", "CLOSED", "NOCOPIES" -> UNKNOWN;
      default -> NOT_RUN;
    };
  }

  /** Returns the first word of an error. */
  static String prefix(String error) {
    int space = error.indexOf(' ');
    return error.substring(1, space < 0 ? error.length() - 2 : space);
  }
}
