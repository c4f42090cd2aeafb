package io.penstock.core.crossslot;

import io.penstock.core.reply.ErrorReplies;

/** The error replies of moves over several slots. */
final class MoveErrors {

  static final byte[] SYNTAX = ErrorReplies.encode("ERR syntax error");
  static final byte[] NO_SUCH_KEY = ErrorReplies.encode("ERR no such key");
  static final byte[] NOT_AN_INTEGER =
      ErrorReplies.encode("ERR value is not an integer or out of range");
  static final byte[] NOT_AN_INT =
      ErrorReplies.encode(
          "ERR value is out of range, value must between -2147483648 and 2147483647");
  static final byte[] NO_DATABASE = ErrorReplies.encode("ERR DB index is out of range");

  /** Others have changed the source each time, until the end of the retry window. */
  static final byte[] TOO_MANY_RACES =
      ErrorReplies.encode("TRYAGAIN others change the key all the time; the command did not run");

  /** What was written to the destination could not be undone. */
  static final byte[] NOT_UNDONE =
      ErrorReplies.encode(
          "ERR the source was not removed, and the destination could not be given back what it had:"
              + " both may have the value");

  private MoveErrors() {}

  /** The destination's node refuses the value: its version is older, or it lacks a module. */
  static byte[] notRestored(byte[] error) {
    return ErrorReplies.encode(
        "ERR the node of the destination cannot use the value: " + ErrorReplies.line(error));
  }
}
