package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.reply.ErrorReplies;
import java.nio.charset.StandardCharsets;

/** The error replies of commands over several slots. */
final class CrossSlotErrors {

  /** No copy can be in the partition. */
  static final byte[] NO_NAME =
      ErrorReplies.encode("ERR no key name belongs to the partition that a copy is needed in");

  /** A cluster of nodes that accept no patterns at all: Redis before 8.0, Valkey before 8.0. */
  static final byte[] PATTERNS_REFUSED =
      ErrorReplies.encode(
          "ERR SORT with BY or GET over several slots needs nodes that accept patterns with a hash"
              + " tag: Redis 8.0, Valkey 8.0 or later");

  private CrossSlotErrors() {}

  /** The values of the keys are larger than one command may collect. */
  static byte[] valuesTooLarge(long maxBytes) {
    return ErrorReplies.encode(
        "OVERLOADED the command collects values of more than "
            + maxBytes
            + " bytes from several slots (cross-slot-max-bytes); it did not run");
  }

  /** The reply of a command that reads is larger than one command may collect. */
  static byte[] replyTooLarge(long maxBytes) {
    return ErrorReplies.encode(
        "OVERLOADED the reply has more than " + maxBytes + " bytes (cross-slot-max-bytes)");
  }

  /** The command has more keys than it may have. */
  static byte[] tooManyKeys(int maxKeys) {
    return ErrorReplies.encode(
        "OVERLOADED the command has more than "
            + maxKeys
            + " keys in several slots (cross-slot-max-keys); it did not run");
  }

  /**
   * The node does not accept a dump: for example a node of an older version, or without a module
   * that the value needs.
   */
  static byte[] notRestored(ByteBuf error) {
    String text =
        error
            .toString(
                error.readerIndex() + 1, error.readableBytes() - 1, StandardCharsets.ISO_8859_1)
            .strip();
    return ErrorReplies.encode(
        "ERR the node of the other keys cannot use the value of a key: " + text);
  }
}
