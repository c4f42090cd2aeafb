package io.penstock.core.mirror;

import org.jspecify.annotations.Nullable;

/** A key that is copied again whole: what the primary is asked, and what a copy gets. */
public final class KeyImage {

  private static final long NO_KEY = -2;

  private KeyImage() {}

  /** Returns the question for the value. */
  public static CopyRequest value(byte[] key) {
    return CopyRequest.command("DUMP").add(key).build();
  }

  /** Returns the question for the deadline, to be asked directly behind that for the value. */
  public static CopyRequest deadline(byte[] key) {
    return CopyRequest.command("PEXPIRETIME").add(key).build();
  }

  /**
   * Returns what a copy gets.
   *
   * @param value the answer to the first question; null if there is no key
   * @param deadline the answer to the second: milliseconds since 1970, negative for none
   */
  public static CopyRequest of(byte[] key, byte @Nullable [] value, long deadline) {
    if (value == null || deadline == NO_KEY) {
      return CopyRequest.command("DEL").add(key).build();
    }
    return CopyRequest.command("RESTORE")
        .add(key)
        .number(Math.max(0, deadline))
        .add(value)
        .text("REPLACE")
        .text("ABSTTL")
        .build();
  }
}
