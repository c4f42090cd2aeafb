package io.penstock.core.prefix;

import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.spec.CommandSpec;

/** The errors that users with a key prefix get, encoded. */
final class PrefixErrors {

  /** For {@code SORT}, if the prefix would be a pattern itself. */
  static final byte[] PATTERNS_OF_SORT =
      ErrorReplies.encode(
          "ERR BY and GET option of SORT denied with a key prefix that contains an asterisk");

  private PrefixErrors() {}

  static byte[] refused(CommandSpec spec) {
    return notPermitted(spec, "it could see or change what belongs to others");
  }

  static byte[] script(CommandSpec spec) {
    return notPermitted(spec, "scripts could see the keys of others");
  }

  static byte[] count(CommandSpec spec) {
    return notPermitted(spec, "it counts the keys of others");
  }

  static byte[] keyspaceEvents(CommandSpec spec) {
    return notPermitted(spec, "for channels that may tell of the keys of others");
  }

  static byte[] allChannels(CommandSpec spec) {
    return notPermitted(spec, "it is about the channels of others");
  }

  private static byte[] notPermitted(CommandSpec spec, String reason) {
    return ErrorReplies.encode(
        "NOPERM " + spec.displayName() + " is not permitted to users with a key prefix: " + reason);
  }
}
